#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

namespace credence::bench {

/// Wall-clock and processor seconds (all threads of the process together). One thread on an idle machine has both
/// alike; on a busy machine only the second says what the program did.
struct Seconds {
  double wall = 0;
  double cpu = 0;

  Seconds& operator+=(const Seconds& other) {
    wall += other.wall;
    cpu += other.cpu;
    return *this;
  }
};

inline void to_json(nlohmann::json& json, const Seconds& seconds) {
  json = {{"wall", seconds.wall}, {"cpu", seconds.cpu}};
}

inline void from_json(const nlohmann::json& json, Seconds& seconds) {
  seconds = {json.at("wall").get<double>(), json.at("cpu").get<double>()};
}

class Stopwatch {
 public:
  Seconds elapsed() const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
    return {wall.count(), processor_seconds() - cpu_start_};
  }

 private:
  static double processor_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double cpu_start_ = processor_seconds();
};

/// Middle value; mean of the two middle ones for an even count; 0 for none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Medians of wall and of processor seconds.
inline Seconds median(const std::vector<Seconds>& runs) {
  std::vector<double> wall;
  std::vector<double> cpu;
  for (const Seconds& run : runs) {
    wall.push_back(run.wall);
    cpu.push_back(run.cpu);
  }
  return {median(wall), median(cpu)};
}

/// Seconds of work that is done once unmeasured and then `runs` times; of the first time alone if the work takes long
/// or no run more is asked for.
template <class Work>
std::vector<Seconds> repeated(int runs, const Work& work) {
  constexpr double long_enough = 5;
  const Seconds first = work();
  if (first.wall > long_enough || runs == 0) return {first};
  std::vector<Seconds> all;
  for (int run = 0; run < runs; ++run) all.push_back(work());
  return all;
}

/// How many of `runs` runs come before step `step` of `steps`: they are spread evenly over the other side's steps, so
/// that whatever else the machine does disturbs both sides.
inline std::size_t due(std::size_t step, std::size_t steps, std::size_t runs) {
  return (step + 1) * runs / steps - step * runs / steps;
}

/// The last `count` of some runs.
inline std::vector<Seconds> last(const std::vector<Seconds>& runs, std::size_t count) {
  return {runs.end() - static_cast<std::ptrdiff_t>(std::min(count, runs.size())), runs.end()};
}

}  // namespace credence::bench
