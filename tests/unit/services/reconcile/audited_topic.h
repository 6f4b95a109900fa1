#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_AUDITED_TOPIC_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_AUDITED_TOPIC_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/domain/event_id.h"
#include "services/domain/timestamps.h"
#include "services/reconcile/events_audit.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tests/support/test_keyspace.h"
#include "tests/support/told_state.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::reconcile {

/// One partition that a test fills, and perhaps one of another topic.
class FilledTopic final : public ports::EventTopic {
 public:
  absl::StatusOr<std::vector<ports::EventPartition>> Look() override {
    ports::EventPartition one{.topic = "tollbridge.events.v1",
                              .number = 0,
                              .first = first,
                              .end = first + static_cast<std::int64_t>(records.size()),
                              .first_written = std::nullopt};
    if (!records.empty()) one.first_written = records.front().written;
    std::vector partitions{one};
    if (other) partitions.push_back(*other);
    return partitions;
  }
  std::vector<std::size_t> PartitionsOf(std::string_view /*key*/) const override {
    if (other) return {0, 1};
    return {0};
  }
  AsyncStatus Read(const std::function<void(const ports::EventRecord&)>& take) override {
    ++reads;
    if (before_read) before_read();
    for (const ports::EventRecord& record : records) take(record);
    co_return absl::OkStatus();
  }

  std::vector<ports::EventRecord> records;
  std::int64_t first = 0;  ///< offset of what is kept
  std::optional<ports::EventPartition> other;
  std::function<void()> before_read;
  int reads = 0;
};

class ShownOrders final : public test::UnaskedPaymentService {
 public:
  Async<common::v1::Order> GetOrder(const domain::Project&, std::string_view order_id,
                                    const ports::Context&) override {
    ++asked;
    const auto found = orders.find(std::string(order_id));
    if (found == orders.end()) co_return absl::UnavailableError("the service is away");
    co_return found->second;
  }
  std::map<std::string, common::v1::Order> orders;
  int asked = 0;
};

/// Families that were told created and completed an hour ago, in a topic that a day is kept of.
class AuditedTopic : public testing::Test {
 protected:
  AuditedTopic() {
    // Something old, so that the topic goes back to it.
    Put(kOld, 1, events::v1::EVENT_WHAT_COMPLETED, kStream);
    topic_.records.front().written = clock_.WallNow() - std::chrono::hours(24);
  }

  static Uuid Root(std::uint8_t number) { return Uuid::V4({number, 0xaa}); }
  static std::string Stream(std::uint8_t number) { return Uuid::V4({0xcc, number}).ToString(); }

  void Put(std::uint8_t root, std::uint64_t sequence, events::v1::EventWhat what,
           std::uint8_t stream, std::uint32_t occurrence = 1) {
    events::v1::PaymentEvent event;
    event.set_id(
        domain::EventId(teller_->id, Root(root), events::v1::EVENT_KIND_PAYMENT, what, occurrence)
            .ToString());
    event.set_kind(events::v1::EVENT_KIND_PAYMENT);
    event.set_what(what);
    event.set_occurrence(occurrence);
    event.set_type(domain::EventType(events::v1::EVENT_KIND_PAYMENT, what));
    event.set_project(teller_->name);
    event.set_root_order_id(Root(root).ToString());
    event.set_order_id(Root(root).ToString());
    event.set_sequence(sequence);
    event.set_stream(Stream(stream));
    topic_.records.push_back({.partition = 0,
                              .offset = static_cast<std::int64_t>(topic_.records.size()),
                              .written = clock_.WallNow() - std::chrono::hours(1),
                              .content_type = "application/protobuf",
                              .value = event.SerializeAsString()});
  }
  void PutCreatedAndCompleted(std::uint8_t root) {
    Put(root, 1, events::v1::EVENT_WHAT_CREATED, kStream);
    Put(root, 2, events::v1::EVENT_WHAT_COMPLETED, kStream);
  }
  void DropLast() { topic_.records.pop_back(); }

  /// A snapshot that says so, of a life that began long ago.
  ports::SaveRequest Told(std::uint8_t root, std::uint64_t sequence,
                          std::uint8_t stream = kStream) {
    ports::SaveRequest request{.key = {.project = teller_->name, .root = Root(root)},
                               .expected_version = Load(root).version,
                               .snapshot = {},
                               .outbox = {},
                               .next_due = std::nullopt,
                               .seen_due = std::nullopt,
                               .retention = std::chrono::hours(24 * 400)};
    request.snapshot.set_epoch(Load(root).epoch);
    request.snapshot.set_stream(Uuid::Parse(Stream(stream))->ToBytes());
    request.snapshot.set_sequence(sequence);
    request.snapshot.set_began(Seconds(clock_.WallNow() - std::chrono::hours(24 * 30)));
    storage::v1::OrderState& state = *request.snapshot.mutable_root();
    state = test::ToldState({events::v1::EVENT_WHAT_CREATED, events::v1::EVENT_WHAT_COMPLETED});
    state.set_last_outcome(events::v1::EVENT_WHAT_COMPLETED);
    state.set_outcome_by_order(true);
    *state.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - std::chrono::hours(1));
    request.next_due = clock_.WallNow() + std::chrono::hours(1);
    common::v1::Order order;
    order.set_id(Root(root).ToString());
    order.set_status(common::v1::ORDER_STATUS_COMPLETED);
    *order.mutable_modified() = state.modified();
    *order.mutable_completed() = state.modified();
    service_.orders[order.id()] = order;
    return request;
  }
  void Save(const ports::SaveRequest& request) {
    const auto verdict = Await(store_.Save(request, Within()));
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    ASSERT_EQ(*verdict, ports::SaveVerdict::kSaved);
  }
  ports::FamilyState Load(std::uint8_t root) {
    const ports::FamilyKey key{.project = teller_->name, .root = Root(root)};
    return *Await(store_.Load(key, Within()));
  }

  /// Since when the family is to be told again.
  std::optional<WallTime> AskedFrom(std::uint8_t root) {
    const ports::FamilyState state = Load(root);
    return state.tell_again ? std::optional(state.tell_again->from) : std::nullopt;
  }

  /// As "fault/state", and what the audit counted.
  std::vector<std::string> Audit(EventsAudit::Settings settings = {}) {
    settings.baseline_window = std::chrono::hours(72);
    settings.snapshot_retention = std::chrono::hours(24 * 400);
    std::vector<std::string> found;
    projects_found_.clear();
    EventsAudit audit(
        {.topic = topic_,
         .families = store_.family_walk(),
         .snapshots = store_,
         .due_queue = store_,
         .payment_service = service_,
         .clock = clock_},
        projects_, settings,
        [&](const EventFinding& finding) {
          found.push_back(std::string(NameOf(finding.fault)) + "/" +
                          std::string(NameOf(finding.state)));
          projects_found_.push_back(finding.family.project);
        },
        [](std::string_view, std::uint64_t) {});
    const absl::StatusOr<AuditSummary> summary = Await(audit.Run());
    EXPECT_TRUE(summary.ok()) << summary.status();
    if (summary.ok()) summary_ = *summary;
    return found;
  }

  template <typename T>
  T Await(boost::asio::awaitable<T> work) {
    return test::Await(context_, std::move(work));
  }
  ports::Context Within() const {
    return {.deadline = clock_.BootNow() + std::chrono::minutes(1), .trace = {}};
  }
  static ports::FamilyKey Key(std::uint8_t number) {
    return {.project = "shop", .root = Root(number)};
  }
  static std::int64_t Seconds(WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  }

  static constexpr std::uint8_t kStream = 1;
  static constexpr std::uint8_t kNextStream = 2;
  static constexpr std::uint8_t kOld = 200;
  static inline const EventsAudit::Settings kRepair{.repair = true};

  boost::asio::io_context context_{1};
  test::FakeClock clock_;
  test::FakeStore store_{[this] { return clock_.WallNow(); }};
  FilledTopic topic_;
  ShownOrders service_;
  domain::Project project_ = *test::StoreProjects().Find("shop");
  /// Whose events and snapshots are made.
  const domain::Project* teller_ = &project_;
  std::vector<const domain::Project*> projects_{&project_};
  AuditSummary summary_;
  std::vector<std::string> projects_found_;  ///< of each fault
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_AUDITED_TOPIC_H_
