// LIBSVM's model files.
#include "credence/io/libsvm.hpp"
#include "predictor.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  const fuzz::MemoryFile file({reinterpret_cast<const char*>(data), size});
  std::optional<svm::SvmModel> model;
  if (fuzz::refusal([&] { model = io::import_libsvm(file.path()); })) return 0;
  // A name and a scale for each column, of 5 million at most, are slow to write again and again.
  if (model->schema.columns.size() > 10'000) return 0;
  fuzz::check_predictor(*model);
  return 0;
}
