#include "process.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

#include "credence/core/context.hpp"
#include "credence/core/version.hpp"
#include "credence/kernel/kernel.hpp"
#include "sides.hpp"

namespace credence::bench {
namespace {

std::string quoted(const std::string& argument) {
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The text behind "key" and a colon in a file of such lines; empty if there is none.
std::string field(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

double megabytes_of(const char* path, const std::string& key) {
  const std::string text = field(path, key);
  return text.empty() ? 0 : std::stod(text) / 1024;
}

}  // namespace

nlohmann::json run_for_json(const std::vector<std::string>& arguments) {
  std::string command;
  for (const std::string& argument : arguments) command += quoted(argument) + " ";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), count);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return nlohmann::json::parse(output);
}

std::string own_path() {
  return std::filesystem::canonical("/proc/self/exe").string();
}

std::string script(const char* name) {
  return std::string(CREDENCE_SOURCE_DIR "/benchmarks/") + name;
}

void write_numbers(const std::string& path, std::span<const double> values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::vector<double> read_numbers(const std::string& path) {
  std::vector<double> values(std::filesystem::file_size(path) / sizeof(double));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file) throw std::runtime_error("cannot read " + path);
  return values;
}

MemoryMeter::MemoryMeter() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  start_ = megabytes_of("/proc/self/status", "VmRSS");
}

double MemoryMeter::megabytes() const {
  return megabytes_of("/proc/self/status", "VmHWM") - start_;
}

nlohmann::json describe_machine() {
  utsname system{};
  uname(&system);
  std::array<double, 3> load{};
  if (getloadavg(load.data(), 3) != 3) load.fill(-1);
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {{"processor", field("/proc/cpuinfo", "model name")},
          {"cores", core::Threads(0).count()},
          {"processors", std::thread::hardware_concurrency()},
          {"simd_target", kernel::simd_target()},
          {"memory_megabytes", megabytes_of("/proc/meminfo", "MemTotal")},
          {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"compiler", CREDENCE_COMPILER},
          {"blas", openblas_get_config()},
          {"load_average", load},
          {"date", date.data()},
          {"versions", {{"credence", version()}, {"libsvm", libsvm_version_text()}}}};
}

}  // namespace credence::bench
