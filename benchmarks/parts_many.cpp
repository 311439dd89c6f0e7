#include <fmt/format.h>

#include <filesystem>

#include "parts.hpp"

namespace credence::bench {

void compare_many_classes(Results& results) {
  const Settings& settings = results.settings;
  const auto usable = [&](const Recipe& recipe) {
    if (!settings.wants(recipe.name)) return false;
    if (recipe.file.empty() || std::filesystem::exists(settings.data + "/" + recipe.file)) return true;
    const std::string note = recipe.file + " is not in " + settings.data + ": nothing of many classes on it";
    if (results.notes.empty() || results.notes.back() != note) results.notes.push_back(note);
    return false;
  };
  for (const Recipe& recipe : many_class_recipes()) {
    if (!usable(recipe)) continue;
    const Problem problem = prepare(recipe, settings.data);
    results.many.grids.push_back(
        compare_grid(problem, many_class_grid(problem), settings, results.machine["versions"]));
    const GridRow& row = results.many.grids.back();
    say(fmt::format("many classes, grid {}: {:.1f} times LIBSVM", row.name, row.ratio()));
    save(results);
  }
  for (const ManyClassCase& task : many_class_cases(settings.quick)) {
    if (!usable(task.recipe)) continue;
    results.many.work.push_back(compare_many_class_work(task, settings));
    const ManyClassRow& row = results.many.work.back();
    say(fmt::format("many classes, {} {}: {:.1f} times LIBSVM", name_of(row.work), row.name, row.ratio()));
    save(results);
  }
}

}  // namespace credence::bench
