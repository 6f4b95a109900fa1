#include "sandbox/core/status.h"

#include <array>
#include <cstddef>

namespace tollbridge::sandbox {
namespace {

constexpr std::array<std::string_view, 7> kOrderTexts = {
    "new", "processing", "completed", "cancelled", "expired", "error", "see-transactions"};
constexpr std::array<std::string_view, 8> kTransactionTexts = {
    "new", "pending", "accepted", "completed", "declined", "error", "cancelled", "expired"};
constexpr std::array<std::string_view, 5> kLinkTexts = {"new", "processing", "all_unsuccessful",
                                                        "completed", "expired"};

template <typename Status, std::size_t N>
std::optional<Status> Find(const std::array<std::string_view, N>& texts, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (texts[i] == text) return static_cast<Status>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view Text(OrderStatus status) { return kOrderTexts[static_cast<std::size_t>(status)]; }
std::string_view Text(TransactionStatus status) {
  return kTransactionTexts[static_cast<std::size_t>(status)];
}
std::string_view Text(LinkStatus status) { return kLinkTexts[static_cast<std::size_t>(status)]; }

std::optional<OrderStatus> ParseOrderStatus(std::string_view text) {
  return Find<OrderStatus>(kOrderTexts, text);
}
std::optional<TransactionStatus> ParseTransactionStatus(std::string_view text) {
  return Find<TransactionStatus>(kTransactionTexts, text);
}

bool IsFinal(OrderStatus status) {
  return status == OrderStatus::kCompleted || status == OrderStatus::kCancelled ||
         status == OrderStatus::kExpired || status == OrderStatus::kError;
}

bool IsFinal(TransactionStatus status) {
  return status == TransactionStatus::kCompleted || status == TransactionStatus::kDeclined ||
         status == TransactionStatus::kError || status == TransactionStatus::kCancelled ||
         status == TransactionStatus::kExpired;
}

}  // namespace tollbridge::sandbox
