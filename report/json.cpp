#include "report/json.hpp"

#include <nlohmann/json.hpp>

namespace credence::report {

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace credence::report
