#pragma once

namespace credence::test {

/// Whether the tests run under the address or the thread sanitizer, which reserve most of the address space: no test
/// that limits addresses can run then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif
inline constexpr const char* sanitizers_need_addresses = "sanitizers need addresses of their own";

}  // namespace credence::test
