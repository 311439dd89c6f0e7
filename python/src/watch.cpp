#include "bindings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "credence/conformal/watch.hpp"
#include "report/watch/watch_report.hpp"
#include "run.hpp"

namespace credence::python {
namespace {

/// A watch and the model that it watches for.
struct Watching {
  std::shared_ptr<model::Predictor> model;
  conformal::Watch watch;
};

Watching begun(std::shared_ptr<model::Predictor> model, double alarm, std::uint64_t seed, bool labels,
               const RunOptions& options) {
  const model::Predictor& watched = *model;
  return {std::move(model), run(options, [&](const core::Context& context) {
            return conformal::Watch(watched, {alarm, seed}, labels, context);
          })};
}

Watching gone_on(std::shared_ptr<model::Predictor> model, const nb::bytes& state, const RunOptions& options) {
  const model::Predictor& watched = *model;
  const std::string bytes(state.c_str(), state.size());
  return {std::move(model),
          run(options, [&](const core::Context& context) { return conformal::Watch(watched, bytes, context); })};
}

void update(Watching& self, const data::Dataset& rows, const Vector<std::int32_t>& labels,
            const std::vector<std::string>& ids, const RunOptions& options) {
  run_apart(options, [&](const core::Context& context) { self.watch.update(rows, span_of(labels), ids, context); });
}

}  // namespace

void bind_watch(nb::module_& module) {
  nb::class_<Watching>(module, "Watching")
      .def("update", &update)
      .def("state", [](const Watching& self) { return bytes_of(self.watch.state()); })
      .def_prop_ro("alarm", [](const Watching& self) { return self.watch.alarm(); })
      .def_prop_ro("watches_labels", [](const Watching& self) { return self.watch.watches_labels(); })
      .def("text",
           [](const Watching& self) {
             return report::terminal_text(report::watch_story(self.watch, ""), report::Detail::usual);
           })
      .def("document", [](const Watching& self) { return report::json_text(report::watch_json(self.watch, "", "")); });
  module.def("watch", &begun);
  module.def("watch_from", &gone_on);
}

}  // namespace credence::python
