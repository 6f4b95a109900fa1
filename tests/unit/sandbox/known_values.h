#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_KNOWN_VALUES_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_KNOWN_VALUES_H_

#include <string_view>

/// What tests of the sandbox name in common: they are one program, so each name has one value.
namespace tollbridge::sandbox {

inline constexpr std::string_view kDemoKey = "sandbox-demo-key";
inline constexpr std::string_view kShopKey = "sandbox-shop-key";

inline constexpr std::string_view kApprovedPan = "4111111111111111";
inline constexpr std::string_view kDeclinedPan = "4000000000000002";
inline constexpr std::string_view kChallengePan = "4000000000003220";
inline constexpr std::string_view kChallengeFailsPan = "4000000000003337";
inline constexpr std::string_view kLatePan = "4000000000003774";
inline constexpr std::string_view kIssuerErrorPan = "4000000000003915";
inline constexpr std::string_view kAnswerLostPan = "4000000000003923";

/// Nothing has this id.
inline constexpr std::string_view kUnknownId = "11111111-1111-4111-8111-111111111111";

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_KNOWN_VALUES_H_
