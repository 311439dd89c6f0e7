// Plans: the JSON documents that repeat a run.
#include "report/plan.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  report::Plan plan;
  std::string text;
  if (fuzz::refusal([&] {
        plan = report::parse_plan({reinterpret_cast<const char*>(data), size}, "plan");
        throw_if_any(plan.options.validate());
        text = report::json_line(report::plan_json(plan));
      }))
    return 0;
  std::string again;
  const auto refused =
      fuzz::refusal([&] { again = report::json_line(report::plan_json(report::parse_plan(text, "again"))); });
  fuzz::require(!refused, "a plan that was read and written can be read: " + refused.value_or(""));
  fuzz::require(again == text, "a plan that was read, written and read is the same plan");
  return 0;
}
