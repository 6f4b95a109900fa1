#include "gateway/commands/dlq_replay.h"

#include <absl/strings/str_cat.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>

#include "base/core/status_macros.h"
#include "services/domain/timestamps.h"
#include "services/events/hint_handler.h"

namespace tollbridge::gateway {
namespace {

/// Orders remembered in one run. Beyond, an order may be hinted at again, which does no harm.
constexpr std::size_t kMostRemembered = 100'000;
constexpr std::size_t kMostRefusalsTold = 100;

std::string Counted(std::size_t count, const std::string& what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

}  // namespace

absl::Status DlqReplay::Take(const PlacedLetter& letter, WallTime now) {
  std::optional<events::v1::Hint> hint = HintOf(letter);
  if (!hint) {
    Refuse(letter.place, letter.letter.cut_from ? "it was cut" : "it holds no hint");
    return absl::OkStatus();
  }
  // The reader's own opinion: else it would be back here at once.
  if (!events::ParseHint(letter.letter.record, projects_)) {
    Refuse(letter.place, "it names no configured project");
    return absl::OkStatus();
  }
  const std::string subject =
      absl::StrCat(hint->project(), ":", hint->order_id(), ":", hint->member());
  if (!hinted_.contains(subject)) {
    hint->DiscardUnknownFields();
    hint->set_source(events::v1::HINT_SOURCE_OPERATOR);
    // What the order showed since it was first noticed is news (docs/design/events.md#snapshots).
    if (!hint->has_noticed_at()) *hint->mutable_noticed_at() = domain::ToTimestamp(now);
    if (write_) TB_RETURN_IF_ERROR(write_(*hint, letter.letter.record.trace));
    ++hints_;
    if (hinted_.size() < kMostRemembered) hinted_.insert(subject);
  }
  ++letters_;
  return absl::OkStatus();
}

void DlqReplay::Refuse(const LetterPlace& place, std::string_view why) {
  ++letters_;
  ++refused_;
  if (refusals_.size() < kMostRefusalsTold) {
    refusals_.push_back(PlaceText(place) + ": " + std::string(why));
  }
}

std::string DlqReplay::Text() const {
  std::string text;
  for (const std::string& refusal : refusals_) absl::StrAppend(&text, "refused ", refusal, "\n");
  absl::StrAppend(&text, Counted(letters_, "letter"), ": ", Counted(hints_, "hint"),
                  write_ ? " written, " : " would be written, ", Counted(refused_, "letter"),
                  " refused\nnothing was deleted: letters stay until their time of keeping is "
                  "over\n");
  return text;
}

std::string DlqReplay::Json() const {
  boost::json::object answer;
  answer["letters"] = letters_;
  answer["hints"] = hints_;
  answer["refused"] = refused_;
  answer["refusals"] = boost::json::array(refusals_.begin(), refusals_.end());
  answer["dry_run"] = !write_;
  return boost::json::serialize(answer) + "\n";
}

}  // namespace tollbridge::gateway
