#include "services/search/query.h"

#include <google/protobuf/timestamp.pb.h>

#include <string_view>

#include "services/domain/timestamps.h"
#include "services/domain/wire_names.h"
#include "services/operations/scan.h"
#include "services/orders/one_step_plan.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::search {
namespace {

using google::protobuf::Timestamp;

// Ends of a range that has only one: no open end is shown in the interface. No order is older than
// the first, and the second is the last time that has four digits for its year.
constexpr std::string_view kFirstTime = "1970-01-01T00:00:00Z";
constexpr std::string_view kLastTime = "9999-12-31T23:59:59Z";
constexpr std::int64_t kFirstSecond = 0;
constexpr std::int64_t kLastSecond = 253'402'300'799;
constexpr std::int32_t kNanosPerSecond = 1'000'000'000;

bool IsSearchable(const Timestamp& time) {
  return time.seconds() >= kFirstSecond && time.seconds() <= kLastSecond && time.nanos() >= 0 &&
         time.nanos() < kNanosPerSecond;
}

void CheckPeriod(const v1::OrderFilter& filter, const std::string& path, orders::Violations& out) {
  constexpr std::string_view kRule = "must be a time of the years 1970 to 9999";
  const bool from_fine = !filter.has_created_from() || IsSearchable(filter.created_from());
  const bool to_fine = !filter.has_created_to() || IsSearchable(filter.created_to());
  if (!from_fine) out.push_back({path + ".created_from", std::string(kRule)});
  if (!to_fine) out.push_back({path + ".created_to", std::string(kRule)});
  if (!from_fine || !to_fine || !filter.has_created_from() || !filter.has_created_to()) return;
  if (domain::ToWallTime(filter.created_from()) > domain::ToWallTime(filter.created_to())) {
    out.push_back({path + ".created_from", "must not be later than created_to"});
  }
}

void CheckFilter(const v1::OrderFilter& filter, const std::string& path, orders::Violations& out) {
  if (filter.has_merchant_order_id() && filter.merchant_order_id().empty()) {
    out.push_back({path + ".merchant_order_id", "must not be empty; leave it out for any"});
  }
  const bool known = common::v1::OrderStatus_IsValid(filter.status()) &&
                     filter.status() != common::v1::ORDER_STATUS_UNSPECIFIED;
  if (filter.has_status() && !known) {
    out.push_back({path + ".status", "must be a status by its name; leave it out for any"});
  }
  CheckPeriod(filter, path, out);
}

std::string TimeOr(bool has, const Timestamp& time, std::string_view otherwise) {
  return has ? domain::ToRfc3339(domain::ToWallTime(time)) : std::string(otherwise);
}

std::string CompileFilter(const v1::OrderFilter& filter) {
  std::string text;
  const auto add = [&text](std::string_view field, const std::string& value) {
    if (!text.empty()) text += " AND ";
    text += field;
    text += ":" + value;
  };
  if (filter.has_id()) add("id", orders::CanonicalId(filter.id()));
  if (filter.has_merchant_order_id()) {
    add("merchant_order_id", operations::QuotedValue(filter.merchant_order_id()));
  }
  if (filter.has_status()) add("status", std::string(domain::WireName(filter.status())));
  if (filter.has_created_from() || filter.has_created_to()) {
    add("created", "[" + TimeOr(filter.has_created_from(), filter.created_from(), kFirstTime) +
                       " TO " + TimeOr(filter.has_created_to(), filter.created_to(), kLastTime) +
                       "]");
  }
  return text.empty() ? "*" : text;
}

}  // namespace

void CheckQuery(const v1::OrderQuery& query, const std::string& path, orders::Violations& out) {
  if (query.has_filter()) CheckFilter(query.filter(), path + ".filter", out);
  if (query.has_raw() && query.raw().empty()) {
    out.push_back({path + ".raw", "must not be empty; * finds all orders"});
  }
}

std::string CompileQuery(const v1::OrderQuery& query) {
  if (query.has_raw()) return query.raw();
  return CompileFilter(query.filter());
}

}  // namespace tollbridge::search
