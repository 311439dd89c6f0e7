#pragma once

#include <string>
#include <string_view>

namespace credence::system {

/// A shared library; null, and the system's words in `problem`, if it cannot be loaded.
void* load_library(const std::string& name, std::string& problem);
/// The address of a function by its name; null if there is none. @param library  null: what the program has linked
void* address_of(void* library, const char* name);
/// The path of a file beside the program or the module that has this function; empty if the system does not say.
std::string beside(const void* function, std::string_view name);

}  // namespace credence::system
