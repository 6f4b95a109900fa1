#include "services/events/finished_ahead.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/core/encoding.h"

namespace tollbridge::events {
namespace {

/// Of the note's form: version, the offset that it is stored with, base, "place:epoch,...", bits.
constexpr absl::string_view kVersion = "ahead2";
constexpr std::size_t kParts = 5;
constexpr std::size_t kBits = 8;

}  // namespace

FinishedAhead FinishedAhead::Of(std::string_view note, std::int64_t next_offset) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::string_view(note.data(), note.size()), ' ');
  FinishedAhead ahead;
  std::int64_t stored_with = 0;
  if (parts.size() != kParts || parts[0] != kVersion || !absl::SimpleAtoi(parts[1], &stored_with) ||
      stored_with != next_offset || !absl::SimpleAtoi(parts[2], &ahead.base_) || ahead.base_ < 0) {
    return {};
  }
  for (const absl::string_view part : absl::StrSplit(parts[3], ',')) {
    const std::pair<absl::string_view, absl::string_view> pair = absl::StrSplit(part, ':');
    Epoch epoch;
    if (!absl::SimpleAtoi(pair.first, &epoch.place) ||
        !absl::SimpleAtoi(pair.second, &epoch.epoch) || ahead.epochs_.size() == kMostEpochs) {
      return {};
    }
    ahead.epochs_.push_back(epoch);
  }
  std::optional<std::string> bits = Base64Decode({parts[4].data(), parts[4].size()});
  if (!bits || bits->size() > kMost / kBits ||
      !std::ranges::is_sorted(ahead.epochs_, {}, &Epoch::place)) {
    return {};
  }
  ahead.bits_ = *std::move(bits);
  return ahead;
}

void FinishedAhead::Add(std::int64_t offset, std::int32_t leader_epoch) {
  if (leader_epoch < 0 || offset < base_) return;
  const auto place = static_cast<std::size_t>(offset - base_);
  if (place >= kMost) return;
  if (epochs_.empty() || epochs_.back().epoch != leader_epoch) {
    if (epochs_.size() == kMostEpochs) return;
    epochs_.push_back({place, leader_epoch});
  }
  if (bits_.size() <= place / kBits) bits_.resize(place / kBits + 1, '\0');
  bits_[place / kBits] = static_cast<char>(bits_[place / kBits] | (1 << (place % kBits)));
}

std::string FinishedAhead::Note(std::int64_t next_offset) const {
  if (bits_.empty()) return {};
  const std::string epochs = absl::StrJoin(epochs_, ",", [](std::string* out, const Epoch& each) {
    absl::StrAppend(out, each.place, ":", each.epoch);
  });
  return absl::StrCat(kVersion, " ", next_offset, " ", base_, " ", epochs, " ",
                      Base64Encode(bits_));
}

bool FinishedAhead::Holds(const ports::HintRecord& record) const {
  if (record.leader_epoch < 0 || record.offset < base_) return false;
  const auto place = static_cast<std::size_t>(record.offset - base_);
  if (place / kBits >= bits_.size()) return false;
  const auto next = std::ranges::upper_bound(epochs_, place, {}, &Epoch::place);
  if (next == epochs_.begin() || std::prev(next)->epoch != record.leader_epoch) return false;
  return (static_cast<unsigned char>(bits_[place / kBits]) >> (place % kBits) & 1U) != 0;
}

}  // namespace tollbridge::events
