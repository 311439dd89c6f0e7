#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/version.hpp"
#include "options.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

/// Arguments and data: ValueError; files: OSError; formats: ValueError; memory: MemoryError; time: TimeoutError.
PyObject* type_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::file:
      return PyExc_OSError;
    case ErrorCode::memory:
      return PyExc_MemoryError;
    case ErrorCode::interrupted:
      return PyExc_TimeoutError;
    default:
      return PyExc_ValueError;
  }
}

/// The sentence with the arguments of Python behind the advice that they follow, as the command has its options there.
std::string with_arguments(std::string sentence) {
  constexpr std::array<core::Advice, 9> arguments{{
      {"such values can count as missing, or as no level", R"(unseen="missing", unseen="other")"},
      {"such values can count as no level", R"(unseen="other")"},
      {"give the encoding latin1", R"(encoding="latin1")"},
      {"say that it is a header", R"(header="yes")"},
      {"say that there is no header", R"(header="no")"},
      {"name what means missing", R"(na=["..."]; in a frame None)"},
      {"drop the column", "drop=[...]"},
      {"write the labels as names", "y.astype(str)"},
      {"declare the column categorical", R"(categorical=[...]; in a frame astype("category"))"},
  }};
  return in_python(credence::core::with_names(std::move(sentence), arguments));
}

void translate(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const Error& error) {
    PyErr_SetString(type_of(error.code()), with_arguments(error.what()).c_str());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "the memory does not suffice");
  }
}

}  // namespace
}  // namespace credence::python

NB_MODULE(_core, module) {
  using namespace credence::python;
  nanobind::set_leak_warnings(false);  // threads may still hold objects when an interrupted program ends
  module.doc() = "The library behind the package credence.";
  nanobind::register_exception_translator(&translate);
  module.attr("__version__") = std::string(credence::version());
  bind_run(module);
  bind_dataset(module);
  bind_reading(module);
  bind_options(module);
  bind_naming(module);
  bind_selecting(module);
  bind_shards(module);
  bind_honest(module);
  bind_watch(module);
  bind_predicting(module);
  bind_bounds(module);
  bind_conformal(module);
  bind_reporting(module);
}
