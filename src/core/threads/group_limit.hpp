#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace credence::core {

/// The memory that the control groups of a process allow, the least of them: what a container may have. The system
/// kills a process that goes beyond, without a warning.
/// @param groups  the content of /proc/self/cgroup  @param root  where control groups are mounted: /sys/fs/cgroup
std::optional<std::size_t> group_limit(std::string_view groups, const std::string& root);

}  // namespace credence::core
