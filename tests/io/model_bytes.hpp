#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "credence/io/model_file.hpp"
#include "credence/svm/model.hpp"

namespace credence::test {

inline void put_little_endian(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

/// A model file with these contents and a right length and checksum.
inline std::string file_around(const std::string& payload) {
  std::string bytes = std::string("\x89") + "CRDNC\r\n";
  put_little_endian(bytes, 2, 4);
  put_little_endian(bytes, payload.size(), 8);
  put_little_endian(bytes, crc32_z(0, reinterpret_cast<const Bytef*>(payload.data()), payload.size()), 4);
  return bytes + payload;
}

/// What scores the rows in a part of an ensemble's members.
inline nlohmann::json& classifiers(nlohmann::json& document, std::size_t part = 0) {
  return document["members"]["parts"][part]["classifiers"];
}

inline std::string file_of(const nlohmann::json& document) {
  const std::vector<std::uint8_t> payload = nlohmann::json::to_cbor(document);
  return file_around({payload.begin(), payload.end()});
}

/// The SVM of a file. @throws std::bad_cast for a file of another kind
inline svm::SvmModel load_svm(const std::string& path) {
  return std::move(dynamic_cast<svm::SvmModel&>(*io::load_model(path)));
}

/// Numbers as a document holds them.
template <class T>
nlohmann::json packed(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return nlohmann::json::binary(bytes);
}

}  // namespace credence::test
