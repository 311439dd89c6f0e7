#include "data/source/zip.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "credence/core/error.hpp"
#include "data/cell.hpp"

namespace credence::data::detail {

namespace {

/// Reads numbers of an archive, lowest byte first.
class ZipBytes {
 public:
  ZipBytes(std::string_view archive, const std::string& path) : archive_(archive), path_(path) {}

  std::string_view part(std::size_t begin, std::size_t size) const {
    if (begin > archive_.size() || size > archive_.size() - begin)
      throw Error(ErrorCode::format, "the zip archive is truncated or corrupt", {.file = path_});
    return archive_.substr(begin, size);
  }
  std::size_t number(std::size_t begin, std::size_t size) const {
    std::size_t value = 0;
    for (const char byte : part(begin, size))
      value = value >> 8U | std::size_t{static_cast<unsigned char>(byte)} << 8U * (size - 1);
    return value;
  }
  std::size_t two(std::size_t begin) const { return number(begin, 2); }
  std::size_t four(std::size_t begin) const { return number(begin, 4); }

 private:
  std::string_view archive_;
  const std::string& path_;
};

}  // namespace

ZipEntry only_file(std::string_view archive, const std::string& path) {
  const ZipBytes bytes(archive, path);
  const std::size_t end = archive.rfind("PK\x05\x06");
  bytes.part(end, 22);
  const std::size_t entries = bytes.two(end + 10);
  std::vector<std::string> names;
  std::size_t only = 0;
  for (std::size_t i = 0, at = bytes.four(end + 16); i < entries; ++i) {
    if (bytes.part(at, 4) != "PK\x01\x02") bytes.part(archive.size(), 1);
    const std::string name(bytes.part(at + 46, bytes.two(at + 28)));
    if (name == "[Content_Types].xml" || name == "mimetype")
      refuse_data("the file is a spreadsheet (.xlsx, .ods) or another document; save the table as CSV", {.file = path});
    if (!name.ends_with('/') && !name.starts_with("__MACOSX/")) {
      names.push_back(in_quotes(name));
      only = at;
    }
    at += 46 + bytes.two(at + 28) + bytes.two(at + 30) + bytes.two(at + 32);
  }
  if (names.size() != 1) {
    constexpr std::size_t most_named = 5;
    const std::size_t count = names.size();
    names.resize(std::min(count, most_named));
    refuse_data(fmt::format("the zip archive holds {} ({}{}), and only an archive of one table is read; unpack it",
                            count_of(count, "file"), fmt::join(names, ", "), count > most_named ? ", ..." : ""),
                {.file = path});
  }
  constexpr std::size_t stored = 0;
  constexpr std::size_t deflated = 8;
  const std::size_t method = bytes.two(only + 10);
  if ((bytes.two(only + 8) & 1U) != 0 || (method != stored && method != deflated))
    refuse_data("the table in the zip archive is encrypted, or packed in a way that is not read; unpack it",
                {.file = path});
  const std::size_t local = bytes.four(only + 42);
  const std::size_t begin = local + 30 + bytes.two(local + 26) + bytes.two(local + 28);
  const std::size_t size = bytes.four(only + 20);
  bytes.part(begin, size);
  return {begin, size, method == stored, static_cast<std::uint32_t>(bytes.four(only + 16))};
}

}  // namespace credence::data::detail
