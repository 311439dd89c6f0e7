#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace credence::bench {

/// Runs a program and parses what it prints as JSON. The arguments are taken literally.
/// @throws std::runtime_error if it fails
nlohmann::json run_for_json(const std::vector<std::string>& arguments);

/// Path of the running program.
std::string own_path();
/// Path of a script of this folder.
std::string script(const char* name);

/// Row-major doubles, for numpy.fromfile. @throws std::runtime_error
void write_numbers(const std::string& path, std::span<const double> values);
std::vector<double> read_numbers(const std::string& path);

/// How much more memory becomes resident at any time than was when the object was made.
class MemoryMeter {
 public:
  /// Gives back what the allocator holds but does not use, and forgets the peak so far.
  MemoryMeter();
  double megabytes() const;

 private:
  double start_;
};

/// Processor, cores, memory, operating system, load, versions.
nlohmann::json describe_machine();

}  // namespace credence::bench
