#include "sandbox/webhooks/delivery_log.h"

#include <boost/json/object.hpp>
#include <utility>

namespace tollbridge::sandbox {
namespace {

std::string Result(const DeliveryRow& row) {
  if (row.status) return std::to_string(*row.status);
  return row.error.empty() ? std::string(Text(row.outcome)) : row.error;
}

}  // namespace

std::string_view Text(DeliveryOutcome outcome) {
  switch (outcome) {
    case DeliveryOutcome::kInFlight:
      return "in flight";
    case DeliveryOutcome::kDelivered:
      return "delivered";
    case DeliveryOutcome::kFailed:
      return "failed";
    case DeliveryOutcome::kLost:
      return "lost";
    case DeliveryOutcome::kDropped:
      return "dropped";
  }
  return "";
}

DeliveryLog::RowId DeliveryLog::Add(DeliveryRow row) {
  rows_.push_back(std::move(row));
  if (rows_.size() > kept_) {
    rows_.pop_front();
    ++first_;
  }
  return first_ + rows_.size() - 1;
}

DeliveryRow* DeliveryLog::Find(RowId id) {
  if (id < first_ || id - first_ >= rows_.size()) return nullptr;
  return &rows_[id - first_];
}

void DeliveryLog::Clear() {
  // Ids are not used again: an attempt under way must not end in another's row.
  first_ += rows_.size();
  rows_.clear();
}

boost::json::array DeliveryLog::ToJson() const {
  boost::json::array out;
  out.reserve(rows_.size());
  for (const DeliveryRow& row : rows_) {
    boost::json::object fields;
    fields["order_id"] = row.order_id.ToString();
    fields["project_id"] = row.project_id.ToString();
    fields["event"] = row.event;
    fields["attempt"] = row.attempt;
    fields["at"] = FormatTime(row.at);
    fields["url_origin"] = row.url_origin;
    fields["result"] = Result(row);
    fields["outcome"] = Text(row.outcome);
    if (row.status) fields["status"] = *row.status;
    fields["detail"] = row.detail;
    fields["final"] = row.final;
    out.push_back(std::move(fields));
  }
  return out;
}

}  // namespace tollbridge::sandbox
