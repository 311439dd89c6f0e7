#include "data/csv/csv_text.hpp"

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

namespace credence::data::detail {

TextRound TextCutter::next(std::size_t count) {
  TextRound round;
  try {
    while (round.parts.size() < count) {
      const std::string_view chunk = source_.next();
      if (chunk.empty()) {
        round.is_last = true;
        break;
      }
      const auto feed = carried_.size() + chunk.size() < part_bytes ? std::string_view::npos : chunk.rfind('\n');
      if (feed == std::string_view::npos) {
        carried_.append(chunk);
        continue;
      }
      std::string part = std::exchange(carried_, std::string(chunk.substr(feed + 1)));
      part.append(chunk.substr(0, feed + 1));
      round.parts.push_back(std::move(part));
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    round.failure = std::current_exception();
    round.is_last = true;
  }
  if (!round.is_last) return round;
  const auto feed = carried_.rfind('\n');
  if (feed != std::string::npos) {
    round.rest = carried_.substr(feed + 1);
    carried_.resize(feed + 1);
    round.parts.push_back(std::move(carried_));
  } else {
    round.rest = std::move(carried_);
  }
  carried_.clear();
  return round;
}

}  // namespace credence::data::detail
