#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_KINDS_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_KINDS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::chaos {

/// What a mutation's answer holds. Tokens stay in here: they are no part of any log.
struct Answer {
  /// It has a result.
  bool done = false;
  /// Names the result in the callers' log: the id of an order or a link, a digest of a vault token;
  /// empty: the order that was asked about.
  std::string result;
  /// The order of the result, where that is one.
  std::optional<common::v1::Order> order;
  /// Of the order or link in the result; no currency where it shows none.
  std::int64_t amount = 0;
  std::string currency;
  /// "UNKNOWN" or "NEEDS_REVIEW": the pending operation was answered.
  std::string pending;
  std::chrono::milliseconds retry_after{0};
  std::string knowledge;  ///< "ANSWERED" or "RECOVERED"
  std::string vault_token;
  std::string cryptogram;
  std::string eci_indicator;
};

/// A mutation that callers drive.
struct MutationKind {
  std::string_view rpc;     ///< "CreateOrder": its name in the callers' log
  std::string_view method;  ///< full name with dots
  /// What it calls at the payment service, as fault plans name it.
  std::vector<std::string_view> routes;
  /// Two keys for the same thing have one effect between them: the service does it once.
  bool once_for_all_keys = false;
  /// Reads a response; an Answer without anything in it when it is none.
  Answer (*read)(const std::string& bytes) = nullptr;
};

/// All of them. kinds_test.cc compares them with what the gateway publishes.
std::span<const MutationKind> Kinds();
/// Throws std::out_of_range for a name that is not there.
const MutationKind& KindOf(std::string_view rpc);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_KINDS_H_
