// Packed files, gzip and zip: any bytes as a packed file, any compressed data with a right checksum, and text that was
// packed whole.
#include <zlib.h>

#include "dataset.hpp"

namespace credence::fuzz {
namespace {

constexpr std::size_t most_unpacked = std::size_t{1} << 22U;

std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return bytes;
}

/// Compressed data between a header and the checksum and size that fit to what zlib unpacks from the data.
std::string member_around(std::string_view deflated) {
  z_stream stream{};
  require(inflateInit2(&stream, -15) == Z_OK, "zlib starts");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  stream.avail_in = static_cast<uInt>(deflated.size());
  std::string text(most_unpacked, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  inflate(&stream, Z_FINISH);
  text.resize(stream.total_out);
  const std::string_view used = deflated.substr(0, deflated.size() - stream.avail_in);
  inflateEnd(&stream);
  std::string bytes("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  bytes += used;
  bytes += little_endian(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
  return bytes + little_endian(text.size());
}

std::string packed(std::string_view text) {
  z_stream stream{};
  require(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib starts");
  std::string bytes(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

/// A zip archive of one file, of any compressed data or stored, with any checksum.
std::string archive_around(std::string_view packed, std::uint64_t method, std::uint64_t checksum) {
  const std::string common = std::string(4, '\0') + little_endian(method << 16U).substr(2) +
                             std::string("\0\0\0\0", 4) + little_endian(checksum) + little_endian(packed.size()) +
                             little_endian(packed.size()) + std::string("\1\0\0\0", 4);
  const std::string directory = "PK\1\2" + std::string(2, '\0') + common + std::string(14, '\0') + "t";
  const std::string local = "PK\3\4" + common + "t" + std::string(packed);
  return local + directory + "PK\5\6" + std::string("\0\0\0\0\1\0\1\0", 8) + little_endian(directory.size()) +
         little_endian(local.size()) + std::string(2, '\0');
}

std::optional<std::string> read_bytes(std::string_view bytes, const data::ReadOptions& options,
                                      std::optional<data::Dataset>& dataset) {
  const MemoryFile file(bytes);
  return refusal([&] {
    dataset = data::read(file.path(), options);
    check_dataset(*dataset, options);
  });
}

}  // namespace
}  // namespace credence::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  fuzz::Input input(data, size, 2);
  data::ReadOptions options;
  options.threads = 1;
  options.format = std::array{data::Format::detect, data::Format::csv, data::Format::svmlight}[input.choose(3)];
  std::optional<data::Dataset> dataset;
  const unsigned way = input.choose(4);
  if (way == 0) {
    fuzz::read_bytes(input.bytes(), options, dataset);
  } else if (way == 1) {
    fuzz::read_bytes(fuzz::member_around(input.bytes()), options, dataset);
  } else if (way == 3) {
    // A stored table is read as the table, unless it is packed itself.
    const std::string_view text = input.bytes();
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
    fuzz::read_bytes(fuzz::archive_around(text, 8, sum), options, dataset);
    std::optional<data::Dataset> plain;
    const bool refused = fuzz::read_bytes(text, options, plain).has_value();
    const bool refused_packed = fuzz::read_bytes(fuzz::archive_around(text, 0, sum), options, dataset).has_value();
    if (text.starts_with("\x1f\x8b") || text.starts_with("PK\3\4")) return 0;
    fuzz::require(refused == refused_packed, "a table in an archive is refused as the plain one is");
    if (plain) fuzz::require_same(*plain, *dataset, "in an archive");
  } else {
    // A file that is packed twice is unpacked once, and refused as no text.
    if (input.bytes().starts_with("\x1f\x8b") || input.bytes().starts_with("PK\3\4")) return 0;
    const auto refused = fuzz::read_bytes(input.bytes(), options, dataset);
    std::optional<data::Dataset> unpacked;
    const auto refused_packed = fuzz::read_bytes(fuzz::packed(input.bytes()), options, unpacked);
    fuzz::require(refused == refused_packed, "a packed file is refused as the plain one is");
    if (dataset) fuzz::require_same(*dataset, *unpacked, "packed");
  }
  return 0;
}
