#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace credence::data::detail {

/// Whether a text begins with a mark of UTF-8 or UTF-16, which says of a file's beginning how the file is written.
bool starts_with_mark(std::string_view text);

/// The text of a file or of standard input in chunks: gzip unpacked (recognised by its first bytes, members may
/// follow each other), a UTF-8 byte order mark left out, anything with a zero byte refused.
class TextSource {
 public:
  /// @param path  "-" is standard input
  /// @throws Error file
  explicit TextSource(const std::string& path);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  /// The next chunk, valid until the call after it; empty at the end.
  /// @throws Error file | format | invalid_data
  std::string_view next();
  /// The chunk that next() will return, without taking it.
  std::string_view peek();

  const std::string& path() const { return path_; }

 private:
  std::string_view read_chunk();
  std::size_t read_raw(std::vector<char>& buffer);
  std::size_t inflate_chunk();
  bool refill();
  bool finish_member();
  void check_text(std::string_view chunk);

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
  bool gzip_ = false;
  bool in_member_ = false;
  std::size_t lines_ = 0;
  z_stream stream_{};
};

}  // namespace credence::data::detail
