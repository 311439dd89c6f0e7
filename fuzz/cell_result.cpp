// The result of a cell, as it comes back from another process.
#include "credence/io/part_result.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  selection::PartResult result;
  if (fuzz::refusal([&] { result = io::part_result_of_bytes({reinterpret_cast<const char*>(data), size}); })) return 0;
  const std::string bytes = io::part_result_bytes(result);
  fuzz::require(io::part_result_bytes(io::part_result_of_bytes(bytes)) == bytes,
                "a result that was read, written and read is the same result");
  return 0;
}
