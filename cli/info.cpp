#include <memory>

#include "application.hpp"
#include "apply.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "report/selection/selection_report.hpp"

namespace credence::cli {
namespace {

struct InfoFlags {
  std::string model;
  DocumentOutput document;
};

int run_info(const InfoFlags& flags) {
  check_document_output(flags.document, {flags.model});
  const Human human(false, flags.document.json);
  const std::unique_ptr<model::Predictor> model = load_any_model(flags.model);
  tell(report::model_story(*model, flags.model), report::model_json(*model, flags.model), human, flags.document,
       flags.model);
  return exit_code::success;
}

}  // namespace

Action add_info(Command command) {
  const auto flags = std::make_shared<InfoFlags>();
  command.argument("MODEL", &flags->model, "a Credence model, or one of LIBSVM");
  add_document_options(command, flags->document, "write the same as JSON; - is standard output");
  command.footer(
      "Rows, label, classes and columns of the training with their ranges; settings;\n"
      "the honest estimate of the choice; what stands behind p-values; the version.\n"
      "Files of older versions, and those of LIBSVM, have recorded less.\n\n"
      "Examples:\n"
      "  credence info pima.credence\n"
      "  credence info pima.credence --json pima.json");
  return [flags] { return run_info(*flags); };
}

}  // namespace credence::cli
