#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application.hpp"
#include "commands.hpp"
#include "credence/blas/openblas.hpp"
#include "credence/core/context.hpp"
#include "credence/core/version.hpp"
#include "credence/kernel/kernel.hpp"
#include "output.hpp"
#include "report/page/page.hpp"
#include "report/text.hpp"
#include "system/memory.hpp"
#include "system/process.hpp"

/// What a bug report needs, and what makes this machine slower than it could be.
namespace credence::cli {
namespace {

using report::Json;
using report::operator""_key;

#ifdef CREDENCE_HAS_REPRODUCE
constexpr bool has_reproduce = true;
#else
constexpr bool has_reproduce = false;
#endif

using Bytes = std::optional<std::uint64_t>;

std::string_view name_of([[maybe_unused]] blas::Vectors vectors) {
#if defined(__x86_64__) || defined(__i386__)
  constexpr std::array names{"SSE", "AVX", "AVX2", "AVX-512"};  // in the order of blas::Vectors
  return names.at(static_cast<std::size_t>(vectors));
#elif defined(__aarch64__)
  return "NEON";
#else
  return "unknown";
#endif
}

/// Whether the kernels of this program use narrower vectors than the processor has.
bool is_lesser_target(const std::string& target, blas::Vectors vectors) {
  if (vectors == blas::Vectors::avx512) return !target.starts_with("AVX3");
  if (vectors == blas::Vectors::avx2) return target != "AVX2";
  return target.starts_with("EMU") || target.starts_with("SCALAR");
}

std::string shown(const Bytes& bytes) {
  return bytes ? fmt::format("{:.1f} GiB", static_cast<double>(*bytes) / (1024.0 * 1024.0 * 1024.0)) : "none";
}

struct DoctorFindings {
  std::string system = system::system_name();
  std::string processor = system::processor_name();
  blas::Vectors vectors = blas::widest_vectors();
  std::string target = kernel::simd_target();
  int cores = system::usable_cores();
  int threads = core::Threads(0).count();
  std::optional<double> container_cores = system::granted_processors();
  std::optional<double> load = system::load();
  blas::Description blas;
  std::string blas_problem;
  Bytes memory = system::physical_memory();
  Bytes available = system::available_memory();
  Bytes addresses = system::limit_of_addresses();
  Bytes data = system::limit_of_data();
  Bytes container = core::memory_of_groups();
  std::uint64_t budget = core::default_memory_budget();
  std::vector<std::string> warnings;
};

void warn_of_speed(DoctorFindings& found) {
  std::vector<std::string>& warnings = found.warnings;
  if (is_lesser_target(found.target, found.vectors)) {
    warnings.push_back(
        fmt::format("the kernels use {}, and the processor has {}: this build, or the system, holds them back",
                    found.target, name_of(found.vectors)));
  }
  if (!found.blas_problem.empty()) {
    warnings.push_back(found.blas_problem);
  } else if (found.blas.lesser) {
    warnings.push_back(fmt::format("OpenBLAS uses its kernels for {}, and those for {} fit this processor better{}",
                                   found.blas.core_type, found.blas.fitting,
                                   std::getenv("OPENBLAS_CORETYPE") == nullptr ? "" : "; unset OPENBLAS_CORETYPE"));
  }
  if (found.container_cores && *found.container_cores + 0.5 < found.threads) {
    warnings.push_back(
        fmt::format("the container may use {:.1f} processors, and {} threads will share them; give --threads",
                    *found.container_cores, found.threads));
  }
  if (found.load && *found.load > 0.5 * found.cores) {
    warnings.push_back(fmt::format("other programs keep the processor busy: the load is {:.1f} on {} cores",
                                   *found.load, found.cores));
  }
  if (std::string_view(CREDENCE_COMPILER).ends_with("Debug") || std::string_view(CREDENCE_COMPILER).ends_with(", "))
    warnings.emplace_back("this program was built without optimisation; build it with CMAKE_BUILD_TYPE=Release");
}

void warn_of_memory(DoctorFindings& found) {
  for (const auto& [limit, what] :
       {std::pair{found.container, "the container has"}, std::pair{found.available, "there is"}}) {
    if (limit && *limit < found.budget) {
      found.warnings.push_back(fmt::format("kernel matrices may take {}, and {} {}; give --memory", shown(found.budget),
                                           what, shown(limit)));
      return;
    }
  }
}

DoctorFindings examine() {
  DoctorFindings found;
  try {
    found.blas = blas::describe();
  } catch (const std::bad_alloc&) {
    found.blas_problem = "OpenBLAS cannot be loaded: there is not enough memory for it";
  } catch (const std::exception& problem) {
    found.blas_problem = problem.what();
  }
  warn_of_speed(found);
  warn_of_memory(found);
  return found;
}

std::string text_of_checks(const DoctorFindings& found) {
  std::string text;
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  line("credence", fmt::format("{}, {}", version(), CREDENCE_COMPILER));
  line("parts", fmt::format("pages {}, reproduce {}", report::pages_are_built_in() ? "built in" : "not built in",
                            has_reproduce ? "built in" : "not built in"));
  line("system", found.system);
  line("processor",
       fmt::format("{}, up to {}", found.processor.empty() ? "unknown" : found.processor, name_of(found.vectors)));
  line("SIMD target", found.target);
  line("threads",
       fmt::format("{} on {}{}", found.threads, report::count_of(static_cast<std::size_t>(found.cores), "core"),
                   found.container_cores ? fmt::format(", {:.1f} for the container", *found.container_cores) : ""));
  if (found.load) line("load", fmt::format("{:.1f}", *found.load));
  line("BLAS", found.blas_problem.empty() ? found.blas.config : "none");
  if (found.blas_problem.empty()) line("BLAS core", fmt::format("{}, {}", found.blas.core_type, found.blas.reason));
  line("memory", fmt::format("{}, {} of them free; {} for kernel matrices", shown(found.memory), shown(found.available),
                             shown(found.budget)));
  line("limits", fmt::format("addresses {}, data {}, container {}", shown(found.addresses), shown(found.data),
                             shown(found.container)));
  for (const std::string& warning : found.warnings) line("verdict", warning);
  if (found.warnings.empty()) line("verdict", "nothing that was looked at makes this machine slower than it could be");
  return text;
}

Json json_of(const DoctorFindings& found) {
  Json blas = nullptr;
  if (found.blas_problem.empty()) {
    blas = Json::object("config"_key = found.blas.config, "core_type"_key = found.blas.core_type,
                        "reason"_key = found.blas.reason, "fitting"_key = found.blas.fitting);
  }
  return Json::object(
      "version"_key = version(), "compiler"_key = CREDENCE_COMPILER, "pages"_key = report::pages_are_built_in(),
      "reproduce"_key = has_reproduce, "system"_key = found.system,
      "processor"_key = Json::object("name"_key = found.processor, "vectors"_key = std::string(name_of(found.vectors)),
                                     "cores"_key = found.cores, "container_cores"_key = found.container_cores,
                                     "load"_key = found.load),
      "simd_target"_key = found.target, "threads"_key = found.threads, "blas"_key = blas,
      "memory"_key = Json::object("total"_key = found.memory, "available"_key = found.available,
                                  "kernel_matrices"_key = found.budget, "address_limit"_key = found.addresses,
                                  "data_limit"_key = found.data, "container_limit"_key = found.container),
      "warnings"_key = found.warnings);
}

}  // namespace

Action add_doctor(Command command) {
  const auto json = std::make_shared<std::string>();
  command.group("Output").option("--json", json.get(), "FILE", "write the same as JSON; - is standard output");
  command.footer(
      "Warnings name what makes this machine slower than it could be. Please put the\n"
      "output into bug reports.\n\nExample:\n  credence doctor --json doctor.json");
  return [json] {
    check_output(*json);
    const DoctorFindings found = examine();
    Human(false, *json).print(text_of_checks(found));
    write_json(json_of(found), *json);
    return exit_code::success;
  };
}

}  // namespace credence::cli
