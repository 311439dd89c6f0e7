#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace credence::data::detail {

/// Where a file stands in a zip archive (PKWARE's APPNOTE.TXT).
struct ZipEntry {
  std::size_t begin = 0;
  std::size_t size = 0;  ///< as it is packed
  bool is_stored = false;
  std::uint32_t checksum = 0;  ///< CRC-32 of the file
};

/// The one file of an archive; folders do not count, and what macOS adds.
/// @throws Error invalid_data for a spreadsheet, other numbers of files, and packings other than deflate; format for a
///               damaged archive
ZipEntry only_file(std::string_view archive, const std::string& path);

}  // namespace credence::data::detail
