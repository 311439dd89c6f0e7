#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <new>
#include <string>

#include "arrays.hpp"
#include "bounds.hpp"
#include "conformal.hpp"
#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "dataset.hpp"
#include "options.hpp"
#include "predicting.hpp"
#include "reading.hpp"
#include "reporting.hpp"
#include "run.hpp"
#include "selecting.hpp"
#include "tasks.hpp"

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

void translate(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const Error& error) {
    PyErr_SetString(type_of(error.code()), error.what());
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
  bind_selecting(module);
  bind_tasks(module);
  bind_predicting(module);
  bind_bounds(module);
  bind_conformal(module);
  bind_reporting(module);
}
