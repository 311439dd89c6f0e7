// Model files: any bytes, and any document between a right header and checksum.
#include <zlib.h>

#include "predictor.hpp"

namespace credence::fuzz {
namespace {

void put(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

std::string file_around(std::string_view document) {
  std::string bytes =
      "\x89"
      "CRDNC\r\n";
  put(bytes, 2, 4);  // the format that is written now
  put(bytes, document.size(), 8);
  put(bytes, crc32_z(0, reinterpret_cast<const Bytef*>(document.data()), document.size()), 4);
  return bytes + std::string(document);
}

}  // namespace
}  // namespace credence::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  fuzz::Input input(data, size, 1);
  const bool whole = input.choose(8) == 7;
  const std::string bytes = whole ? std::string(input.bytes()) : fuzz::file_around(input.bytes());
  std::unique_ptr<model::Predictor> predictor;
  if (fuzz::refusal([&] { predictor = io::model_of_bytes(bytes, "model"); })) return 0;
  fuzz::check_predictor(*predictor);
  return 0;
}
