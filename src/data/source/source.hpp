#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/data/reader.hpp"
#include "data/source/encoding.hpp"
#include "data/source/zip.hpp"

namespace credence::data::detail {

/// Whether a text begins with a mark of UTF-8 or UTF-16, which says of a file's beginning how the file is written.
bool starts_with_mark(std::string_view text);

/// The text of a file or of standard input in chunks of UTF-8: gzip unpacked (recognised by its first bytes, members
/// may follow each other), and the one file of a zip archive, which is held as a whole; a byte order mark left out, and
/// the mark of DOS for the end of a text (Ctrl-Z); latin1 rewritten, anything with a zero byte refused.
class TextSource {
 public:
  /// @param path      "-" is standard input
  /// @param encoding  detect: UTF-8
  /// @param expects_latin1  with detect: latin1, unless the first letters beyond ASCII are UTF-8
  /// @throws Error file
  explicit TextSource(const std::string& path, Encoding encoding = Encoding::utf8, bool expects_latin1 = false);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  /// The next chunk, valid until the call after it; empty at the end. Text in front of a byte that is no UTF-8 is
  /// given before the Error.
  /// @throws Error file | format | invalid_data
  std::string_view next();
  /// The chunk that next() will return, without taking it, and what follows a byte that is no UTF-8.
  std::string_view peek();

  const std::string& path() const { return path_; }

  /// Whether what was read so far began with a byte order mark, or was not UTF-8.
  bool is_marked() const { return marked_; }

 private:
  std::string_view read_chunk();
  std::size_t read_raw(std::vector<char>& buffer);
  void open_gzip(std::size_t count);
  void open_zip(std::size_t count);
  void start_unpacking(int window);
  const char* kind_of_packing() const { return zip_ ? "zip archive" : "gzip file"; }
  [[noreturn]] void refuse_damaged() const;
  std::size_t unpack_chunk();
  bool refill();
  bool finish_member();
  void check_text(std::string_view chunk, bool first);
  void refuse_other_formats(std::string_view beginning) const;
  void settle_encoding(std::string_view chunk);

  struct Close {
    void operator()(std::FILE* file) const;
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> packed_;
  std::vector<char> text_;
  std::string_view peeked_;
  bool has_peeked_ = false;
  bool started_ = false;
  bool packed_text_ = false;        ///< the file is packed
  std::optional<ZipEntry> zip_;     ///< where it is a zip archive
  std::string archive_;             ///< the same as a whole
  std::uint32_t unpacked_sum_ = 0;  ///< checksum of what was unpacked of it
  bool in_member_ = false;
  std::size_t lines_ = 0;        ///< that ended in the chunks that were read
  std::size_t given_lines_ = 0;  ///< the same of the chunks that were given
  bool marked_ = false;
  Encoding encoding_;     ///< detect: latin1 unless the first letters beyond ASCII are UTF-8
  bool settled_ = false;  ///< letters beyond ASCII have been seen
  Utf8Check check_;
  std::string rewritten_;                 ///< the chunk, in UTF-8
  std::optional<unsigned char> refused_;  ///< the next byte, which is no UTF-8
  z_stream stream_{};
};

}  // namespace credence::data::detail
