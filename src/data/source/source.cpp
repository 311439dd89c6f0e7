#include "data/source/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <new>
#include <utility>

#include "core/files/system_file.hpp"
#include "credence/core/error.hpp"

namespace credence::data::detail {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 18U;
constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view zip_magic = "PK\x03\x04";
constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

bool starts_with_utf16_mark(std::string_view text) {
  return text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff";
}

std::FILE* open_file(const std::string& path) {
  if (path == "-") return stdin;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) core::throw_unopened(path, EISDIR);
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) core::throw_unopened(path, errno);
  return file;
}

/// The size of a text without the mark of DOS for its end, and the line ends around it.
std::size_t without_end_mark(std::string_view text) {
  const std::size_t mark = text.find_last_not_of("\r\n");
  if (mark == std::string_view::npos || text[mark] != '\x1a') return text.size();
  return text.find_last_not_of('\x1a', mark) + 1;
}

/// As inflate, for data that are not compressed.
int copy_stored(z_stream& stream) {
  const uInt count = std::min(stream.avail_in, stream.avail_out);
  std::copy_n(stream.next_in, count, stream.next_out);
  stream.next_in += count;
  stream.avail_in -= count;
  stream.next_out += count;
  stream.avail_out -= count;
  return stream.avail_in == 0 ? Z_STREAM_END : Z_OK;
}

/// Of files that are no text, those that people take for tables.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> other_formats = {{
    {"PAR1", "a Parquet file; read it in Python with credence.read, or save it as CSV; docs/data.md has the line"},
    {"ARROW1", "an Arrow file; read it in Python with credence.read, or save it as CSV"},
    {"\xd0\xcf\x11\xe0", "a document of an office program, such as .xls; save the table as CSV"},
}};

}  // namespace

bool starts_with_mark(std::string_view text) {
  return starts_with_utf16_mark(text) || text.starts_with(utf8_mark);
}

void TextSource::Close::operator()(std::FILE* file) const {
  if (file != stdin) std::fclose(file);
}

TextSource::TextSource(const std::string& path, Encoding encoding, bool expects_latin1)
    : path_(path),
      file_(open_file(path)),
      text_(chunk_bytes),
      encoding_(encoding == Encoding::detect && !expects_latin1 ? Encoding::utf8 : encoding) {
  if (path == "-") std::clearerr(stdin);
}

TextSource::~TextSource() {
  if (packed_text_) inflateEnd(&stream_);
}

std::string_view TextSource::peek() {
  if (!has_peeked_) {
    peeked_ = read_chunk();
    has_peeked_ = true;
  }
  return peeked_;
}

std::string_view TextSource::next() {
  if (refused_) {
    refuse_data(
        fmt::format("the byte {:02X} is no UTF-8 text; save the file as UTF-8, or give the encoding latin1", *refused_),
        {path_, given_lines_ + 1, ""});
  }
  std::string_view chunk = peek();
  has_peeked_ = false;
  if (const std::size_t wrong = check_.find_wrong(chunk); wrong != std::string_view::npos) {
    refused_ = check_.cut().value_or(static_cast<unsigned char>(chunk[wrong]));
    chunk = chunk.substr(0, wrong);
  } else if (chunk.empty()) {
    refused_ = check_.cut();
  }
  given_lines_ += static_cast<std::size_t>(std::ranges::count(chunk, '\n'));
  return chunk.empty() && refused_ ? next() : chunk;
}

std::size_t TextSource::read_raw(std::vector<char>& buffer) {
  const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get());
  if (count < buffer.size() && std::ferror(file_.get()) != 0)
    core::throw_file_error(path_, "the file cannot be read", errno);
  return count;
}

void TextSource::open_gzip(std::size_t count) {
  packed_ = text_;
  stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_.avail_in = static_cast<uInt>(count);
  constexpr int gzip_window = 15 + 16;
  start_unpacking(gzip_window);
}

void TextSource::open_zip(std::size_t count) {
  archive_.assign(text_.data(), count);
  while ((count = read_raw(text_)) > 0) archive_.append(text_.data(), count);
  zip_ = only_file(archive_, path_);
  stream_.next_in = reinterpret_cast<Bytef*>(archive_.data() + zip_->begin);
  stream_.avail_in = static_cast<uInt>(zip_->size);
  constexpr int no_header = -15;
  start_unpacking(no_header);
  in_member_ = zip_->size > 0;
}

void TextSource::start_unpacking(int window) {
  if (inflateInit2(&stream_, window) != Z_OK)
    throw Error(ErrorCode::memory, "there is no memory to unpack the file", {.file = path_});
  packed_text_ = true;
  in_member_ = true;
}

std::string_view TextSource::read_chunk() {
  std::size_t count = packed_text_ ? unpack_chunk() : read_raw(text_);
  const bool first = !started_;
  started_ = true;
  const std::string_view beginning(text_.data(), first ? count : 0);
  if (beginning.starts_with(gzip_magic))
    open_gzip(count);
  else if (beginning.starts_with(zip_magic))
    open_zip(count);
  if (first && packed_text_) count = unpack_chunk();
  // A chunk that is not full is the last one.
  if (count > 0 && count < text_.size()) count = without_end_mark({text_.data(), count});
  std::string_view chunk(text_.data(), count);
  if (first && starts_with_utf16_mark(chunk)) refuse_data("the file is UTF-16 text; save it as UTF-8", {.file = path_});
  check_text(chunk, first);
  if (encoding_ != Encoding::utf8) settle_encoding(chunk);
  if (encoding_ != Encoding::utf8) {
    marked_ = marked_ || !is_ascii(chunk);
    return rewritten_ = utf8_of_latin1(chunk);
  }
  if (first && chunk.substr(0, utf8_mark.size()) == utf8_mark) {
    chunk.remove_prefix(utf8_mark.size());
    marked_ = true;
    if (chunk.empty()) return read_chunk();
  }
  return chunk;
}

/// Lets the first letters beyond ASCII say whether a file that is expected to be latin1 is UTF-8.
void TextSource::settle_encoding(std::string_view chunk) {
  if (settled_ || is_ascii(chunk)) return;
  settled_ = true;
  if (!is_utf8_beyond_ascii(chunk)) return;
  if (encoding_ == Encoding::latin1)
    refuse_data("the file is UTF-8 text; read it without the encoding latin1", {.file = path_});
  encoding_ = Encoding::utf8;
}

/// Fills text_ as far as the packed data go.
std::size_t TextSource::unpack_chunk() {
  stream_.next_out = reinterpret_cast<Bytef*>(text_.data());
  stream_.avail_out = static_cast<uInt>(text_.size());
  while (in_member_ && stream_.avail_out > 0) {
    if (stream_.avail_in == 0 && !refill())
      throw Error(ErrorCode::format,
                  fmt::format("the {} is truncated: it ends inside its compressed data", kind_of_packing()),
                  {.file = path_});
    const int status = zip_ && zip_->is_stored ? copy_stored(stream_) : inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END)
      in_member_ = finish_member();
    else if (status == Z_MEM_ERROR)
      throw std::bad_alloc();
    else if (status != Z_OK && status != Z_BUF_ERROR)
      refuse_damaged();
  }
  const std::size_t count = text_.size() - stream_.avail_out;
  if (zip_) {
    unpacked_sum_ = static_cast<std::uint32_t>(crc32_z(unpacked_sum_, reinterpret_cast<Bytef*>(text_.data()), count));
    if (!in_member_ && unpacked_sum_ != zip_->checksum) refuse_damaged();
  }
  return count;
}

void TextSource::refuse_damaged() const {
  throw Error(ErrorCode::format,
              fmt::format("the {} is corrupt: its compressed data or checksum are wrong", kind_of_packing()),
              {.file = path_});
}

bool TextSource::refill() {
  if (zip_) return false;
  stream_.avail_in = static_cast<uInt>(read_raw(packed_));
  stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
  return stream_.avail_in > 0;
}

/// Passes over the zeros that may pad a member; true if another member follows.
bool TextSource::finish_member() {
  if (zip_) return false;
  while (stream_.avail_in > 0 || refill()) {
    if (*stream_.next_in != 0) return inflateReset(&stream_) == Z_OK;
    ++stream_.next_in;
    --stream_.avail_in;
  }
  return false;
}

void TextSource::refuse_other_formats(std::string_view beginning) const {
  for (const auto& [first_bytes, what] : other_formats)
    if (beginning.starts_with(first_bytes)) refuse_data(fmt::format("the file is {}", what), {.file = path_});
}

void TextSource::check_text(std::string_view chunk, bool first) {
  if (chunk.empty()) return;
  const auto zero = chunk.find('\0');
  const std::string_view before = chunk.substr(0, zero);
  for (auto end = before.find('\n'); end != std::string_view::npos; end = before.find('\n', end + 1)) ++lines_;
  if (zero != std::string_view::npos && first) refuse_other_formats(chunk);
  if (zero != std::string_view::npos)
    refuse_data("the file is not text: it holds a zero byte", {path_, lines_ + 1, ""});
}

}  // namespace credence::data::detail
