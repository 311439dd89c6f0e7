#include <gtest/gtest.h>

#include <string>

#include "credence/core/sha256.hpp"

namespace credence {
namespace sha256_vs_fips_tests {

using core::hexadecimal;
using core::sha256;

/// Of the examples that NIST publishes beside FIPS 180-4.
TEST(Sha256VsFips, PublishedExamples) {
  EXPECT_EQ(hexadecimal(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexadecimal(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256VsFips, PartsMakeTheSameAsTheWhole) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i);
  for (const std::size_t size : {55U, 56U, 63U, 64U, 65U, 119U, 120U, 128U, 200U}) {
    const std::string_view whole = std::string_view(text).substr(0, size);
    core::Sha256 sum;
    for (std::size_t at = 0; at < size; at += 7) sum.add(whole.substr(at, 7));
    EXPECT_EQ(sum.finish(), sha256(whole)) << size;
  }
}

TEST(Sha256VsFips, Base64AsContentSecurityPolicyHasIt) {
  EXPECT_EQ(core::base64(sha256("")), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(core::base64(sha256("abc")), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

}  // namespace sha256_vs_fips_tests
}  // namespace credence
