#include "credence/io/model_file.hpp"

#include <cstdint>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/bytes/checksum.hpp"
#include "credence/core/atomic_file.hpp"
#include "credence/core/error.hpp"
#include "io/model_document.hpp"

namespace credence::io {
namespace {

using nlohmann::json;

// As PNG's: a first byte that is not text, and a line end that a transfer in text mode would change.
constexpr std::string_view magic{
    "\x89"
    "CRDNC\r\n",
    8};
constexpr std::uint32_t format_version = 2;
constexpr std::size_t header_size = 8 + 4 + 8 + 4;

[[noreturn]] void refuse_file(const std::string& path, const std::string& sentence) {
  throw Error(ErrorCode::format, sentence, {path, 0, {}});
}

void put(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

std::uint64_t get(std::string_view bytes, std::size_t position, int width) {
  std::uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[position + static_cast<std::size_t>(i)]);
  return value;
}

std::unique_ptr<model::Predictor> parse(const std::string& path, std::string_view payload) {
  std::unique_ptr<model::Predictor> predictor;
  try {
    predictor = from_document(document_of_cbor(payload));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& problem) {
    refuse_file(path, std::string("the model's contents cannot be read: ") + problem.what());
  }
  const std::string problem = inconsistency(*predictor);
  if (!problem.empty()) refuse_file(path, "the model contradicts itself: " + problem);
  return predictor;
}

}  // namespace

std::string model_bytes(const model::Predictor& predictor) {
  std::string bytes(header_size, '\0');
  json::to_cbor(to_document(predictor), nlohmann::detail::output_adapter<char>(bytes));
  const std::string_view document = std::string_view(bytes).substr(header_size);
  std::string header(magic);
  put(header, format_version, 4);
  put(header, document.size(), 8);
  put(header, core::checksum(document), 4);
  bytes.replace(0, header_size, header);
  return bytes;
}

void save_model(const model::Predictor& predictor, const std::string& path) {
  core::write_atomically(path, model_bytes(predictor));
}

std::unique_ptr<model::Predictor> load_model(const std::string& path) {
  return model_of_bytes(core::read_whole_file(path), path);
}

std::unique_ptr<model::Predictor> model_of_bytes(std::string_view bytes, const std::string& name) {
  const std::string_view start = bytes.substr(0, magic.size());
  if (start.empty() || start != magic.substr(0, start.size())) refuse_file(name, "this is not a Credence model");
  if (bytes.size() < header_size) refuse_file(name, "the model file is truncated");
  const std::uint64_t version = get(bytes, 8, 4);
  if (version > format_version) {
    refuse_file(name, "the model was written by a newer version of Credence (file format " + std::to_string(version) +
                          "; this one reads up to " + std::to_string(format_version) +
                          "): upgrade Credence to read it");
  }
  if (version < format_version)
    refuse_file(name, "the model file was altered: format " + std::to_string(version) + " does not exist");
  const std::string_view payload = bytes.substr(header_size);
  const std::uint64_t length = get(bytes, 12, 8);
  if (payload.size() < length) {
    refuse_file(name, "the model file is truncated: " + std::to_string(payload.size()) + " of " +
                          std::to_string(length) + " bytes of contents");
  }
  if (payload.size() > length) refuse_file(name, "the model file was altered: it is longer than it says");
  if (core::checksum(payload) != get(bytes, 20, 4))
    refuse_file(name, "the model file was altered: its checksum does not match");
  return parse(name, payload);
}

bool is_model_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(magic.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return static_cast<std::size_t>(file.gcount()) == magic.size() && start == magic;
}

}  // namespace credence::io
