#include "services/events/finished_ahead.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <optional>

#include "base/core/encoding.h"

namespace tollbridge::events {
namespace {

/// Of the note's form: version, base, epoch, bits.
constexpr absl::string_view kVersion = "ahead1";
constexpr std::size_t kBits = 8;

}  // namespace

FinishedAhead::FinishedAhead(std::int64_t base, std::int32_t leader_epoch,
                             const std::vector<std::int64_t>& offsets)
    : base_(base), leader_epoch_(leader_epoch) {
  for (const std::int64_t offset : offsets) {
    const auto place = static_cast<std::size_t>(offset - base_);
    if (offset < base_ || place >= kMost) continue;
    if (bits_.size() <= place / kBits) bits_.resize(place / kBits + 1, '\0');
    bits_[place / kBits] = static_cast<char>(bits_[place / kBits] | (1 << (place % kBits)));
  }
}

FinishedAhead FinishedAhead::Of(std::string_view note) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::string_view(note.data(), note.size()), ' ');
  FinishedAhead ahead;
  if (parts.size() != 4 || parts[0] != kVersion || !absl::SimpleAtoi(parts[1], &ahead.base_) ||
      !absl::SimpleAtoi(parts[2], &ahead.leader_epoch_)) {
    return {};
  }
  std::optional<std::string> bits = Base64Decode({parts[3].data(), parts[3].size()});
  if (!bits || bits->size() > kMost / kBits || ahead.base_ < 0) return {};
  ahead.bits_ = *std::move(bits);
  return ahead;
}

std::string FinishedAhead::Note() const {
  if (bits_.empty()) return {};
  return absl::StrCat(kVersion, " ", base_, " ", leader_epoch_, " ", Base64Encode(bits_));
}

bool FinishedAhead::Holds(const ports::HintRecord& record) const {
  if (record.leader_epoch < 0 || record.leader_epoch > leader_epoch_ || record.offset < base_) {
    return false;
  }
  const auto place = static_cast<std::size_t>(record.offset - base_);
  if (place / kBits >= bits_.size()) return false;
  return (static_cast<unsigned char>(bits_[place / kBits]) >> (place % kBits) & 1U) != 0;
}

}  // namespace tollbridge::events
