#include "services/domain/published.h"

namespace tollbridge::domain {
namespace {

/// What the numbers of OrderState's `published` are made of.
constexpr std::uint32_t kWhats = 32;
static_assert(events::v1::EventWhat_MAX < kWhats);

Published Unpacked(std::uint32_t packed) {
  return {.what = static_cast<events::v1::EventWhat>(packed % kWhats), .times = packed / kWhats};
}

}  // namespace

std::vector<Published> PublishedOf(const storage::v1::OrderState& state) {
  std::vector<Published> published;
  published.reserve(static_cast<std::size_t>(state.published_size()));
  for (const std::uint32_t packed : state.published()) published.push_back(Unpacked(packed));
  return published;
}

std::uint32_t TimesPublished(const storage::v1::OrderState& state, events::v1::EventWhat what) {
  for (const std::uint32_t packed : state.published()) {
    if (const Published each = Unpacked(packed); each.what == what) return each.times;
  }
  return 0;
}

void SetPublished(storage::v1::OrderState* state, events::v1::EventWhat what, std::uint32_t times) {
  const std::uint32_t packed = times * kWhats + static_cast<std::uint32_t>(what);
  for (std::uint32_t& each : *state->mutable_published()) {
    if (Unpacked(each).what != what) continue;
    each = packed;
    return;
  }
  state->add_published(packed);
}

std::uint32_t CountPublished(storage::v1::OrderState* state, events::v1::EventWhat what) {
  const std::uint32_t times = TimesPublished(*state, what) + 1;
  SetPublished(state, what, times);
  return times;
}

}  // namespace tollbridge::domain
