#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/uuid.h"
#include "base/telemetry/metrics.h"
#include "services/events/hint_handler.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/fixed_service.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_operation_registry.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tollbridge/storage/v1/storage.pb.h"

// Any bytes as a record of the topic of hints, through the handler and the reader to ports that
// are there. A record is brought to its end at the first try: by one read of the order that it
// names, by a dead letter that holds it unchanged, or passed over, since who wrote it writes it
// again. What is kept, told and written of it is bounded and about that order.

namespace tollbridge::fuzz {
namespace {

constexpr std::string_view kProject = "shop";

/// A store that knows of nothing, and what was done to it.
class Store final : public ports::SnapshotStore, public ports::DueQueue {
 public:
  std::vector<ports::SaveRequest> saved;
  std::vector<ports::MemberNote> members;
  std::vector<ports::Noticed> noticed;

  void Forget() {
    saved.clear();
    members.clear();
    noticed.clear();
  }

  Async<ports::FamilyState> Load(const ports::FamilyKey& key, const ports::Context&) override {
    ports::FamilyState state;
    state.entry.key = key;
    state.epoch = "fuzz-1st";
    co_return state;
  }
  Async<ports::SaveVerdict> Save(const ports::SaveRequest& request,
                                 const ports::Context&) override {
    saved.push_back(request);
    co_return ports::SaveVerdict::kSaved;
  }
  Async<bool> ClearOutbox(const ports::FamilyKey&, std::uint64_t, const std::string&,
                          const ports::Context&) override {
    co_return true;
  }
  Async<ports::PendingOutboxes> Pending(const std::string&, const ports::Context&) override {
    co_return ports::PendingOutboxes{};
  }
  AsyncStatus NoteMember(const ports::MemberNote& note, const ports::Context&) override {
    members.push_back(note);
    co_return absl::OkStatus();
  }
  Async<ports::TellAgainVerdict> AskToTellAgain(const ports::TellAgainRequest&,
                                                const ports::Context&) override {
    co_return ports::TellAgainVerdict::kUnknown;
  }

  Async<std::vector<ports::DueOrder>> Take(const std::string&, WallTime,
                                           std::span<const ports::Millis>, std::size_t,
                                           const ports::Context&) override {
    co_return std::vector<ports::DueOrder>{};
  }
  AsyncStatus Enter(const ports::FamilyKey&, WallTime, const ports::Context&) override {
    co_return absl::OkStatus();
  }
  AsyncStatus Set(const ports::FamilyKey&, WallTime, std::optional<WallTime>,
                  const ports::Context&) override {
    co_return absl::OkStatus();
  }
  AsyncStatus Note(const ports::FamilyKey&, const ports::Noticed& when,
                   const ports::Context&) override {
    noticed.push_back(when);
    co_return absl::OkStatus();
  }
  AsyncStatus RemoveIf(const ports::FamilyKey&, WallTime, const ports::Context&) override {
    co_return absl::OkStatus();
  }
  Async<std::vector<ports::DueOrder>> First(const std::string&, std::size_t,
                                            const ports::Context&) override {
    co_return std::vector<ports::DueOrder>{};
  }
};

/// Has each order whose id begins with an even byte, and a refund of another for each fourth.
class Service final : public test::UnaskedPaymentService {
 public:
  std::vector<std::string> asked;

  Async<common::v1::Order> GetOrder(const domain::Project&, std::string_view order_id,
                                    const ports::Context&) override {
    asked.emplace_back(order_id);
    const Uuid id = *Uuid::Parse(order_id);
    if (id.bytes[0] % 2 == 1) {
      co_return domain::MakeError(absl::StatusCode::kNotFound, "no such order",
                                  {.reason = domain::reason::kOrderNotFound});
    }
    common::v1::Order order;
    order.set_id(std::string(order_id));
    order.set_status(common::v1::ORDER_STATUS_COMPLETED);
    Uuid root = id;
    root.bytes[0] = 1;
    if (id.bytes[0] % 4 == 2) order.set_refund_of_order_id(root.ToString());
    co_return order;
  }
};

class Events final : public ports::EventLog {
 public:
  std::vector<storage::v1::OutboxEntry> told;

  Async<ports::EventPlace> Publish(const storage::v1::OutboxEntry& event,
                                   const ports::Context&) override {
    told.push_back(event);
    co_return ports::EventPlace{};
  }
};

class Hints final : public ports::HintLog {
 public:
  std::vector<events::v1::Hint> written;

  AsyncStatus Append(const events::v1::Hint& hint, const ports::Context&) override {
    written.push_back(hint);
    co_return absl::OkStatus();
  }
};

class Letters final : public ports::DeadLetterLog {
 public:
  std::vector<ports::DeadLetter> written;

  AsyncStatus Append(const ports::DeadLetter& letter, const ports::Context&) override {
    written.push_back(letter);
    co_return absl::OkStatus();
  }
};

events::Settings Unbounded() {
  events::Settings settings;
  // The clock stands.
  settings.max_reads_per_second = settings.max_unknown_reads_per_second = std::int64_t{1} << 40;
  return settings;
}

class Rig {
 public:
  void Take(std::string_view value) {
    Forget();
    const ports::HintRecord record{.key = "shop:x", .value = std::string(value), .trace = {}};
    std::optional<events::ParsedHint> hint = events::ParseHint(record, projects_);
    const std::vector<events::ReceivedHint> received = {{.record = record, .hint = hint}};
    const auto handled = Run(context_, handler_.Handle(received, 1, {}));
    if (handled.verdict != events::HintHandler::Verdict::kFinished)
      Found("nothing is down, and it waits");
    if (hint) {
      CheckRead(*hint);
    } else {
      CheckUnusable(record);
    }
  }

 private:
  void Forget() {
    store_.Forget();
    service_.asked.clear();
    events_.told.clear();
    hints_.written.clear();
    letters_.written.clear();
  }

  void CheckRead(const events::ParsedHint& hint) const {
    if (hint.key.project != kProject || hint.project->name != kProject) Found("another's project");
    if (!letters_.written.empty()) Found("a dead letter of a hint that can be used");
    if (service_.asked.empty() || service_.asked.front() != hint.key.root.ToString()) {
      Found("the order of the hint is not read");
    }
    // It, its parents, and the member that the hint names with its own.
    if (service_.asked.size() > 16) Found("reads without a bound");
    for (const ports::SaveRequest& save : store_.saved) {
      if (save.key != hint.key) Found("another family is saved");
      if (save.snapshot.began() < 0) Found("noticed before there was a time");
    }
    for (const storage::v1::OutboxEntry& event : events_.told) {
      if (event.key() != hint.key.root.ToString()) Found("an event of another family");
    }
    for (const events::v1::Hint& written : hints_.written) {
      if (written.hops() == 0 || written.project() != kProject) Found("a hint that is new");
      if (!written.IsInitialized() || written.noticed_at().seconds() < 0) Found("a bad hint");
    }
    for (const ports::Noticed& noticed : store_.noticed) {
      if (noticed.at < WallTime()) Found("noticed before there was a time");
    }
  }

  void CheckUnusable(const ports::HintRecord& record) const {
    if (!service_.asked.empty() || !store_.saved.empty()) Found("read without a hint");
    if (letters_.written.size() > 1) Found("two letters of one record");
    if (letters_.written.size() == 1 && letters_.written[0].record.value != record.value) {
      Found("a dead letter of something else");
    }
    if (!letters_.written.empty()) return;
    events::v1::Hint hint;
    const bool repeated =
        hint.ParseFromString(record.value) && (hint.source() == events::v1::HINT_SOURCE_POLLER ||
                                               hint.source() == events::v1::HINT_SOURCE_SWEEP);
    if (!repeated) Found("a record that is gone");
  }

  boost::asio::io_context context_{1};
  test::FakeClock clock_;
  test::FakeRng rng_;
  telemetry::Metrics metrics_;
  test::FakeOperationRegistry registry_;
  Store store_;
  Service service_;
  Events events_;
  Hints hints_;
  Letters letters_;
  domain::Projects projects_{{{.name = std::string(kProject),
                               .id = *Uuid::Parse("0b3c8a52-4a6b-4f7e-9f0d-1a2b3c4d5e6f")}}};
  events::Reader reader_{{.payment_service = service_,
                          .snapshots = store_,
                          .registry = registry_,
                          .event_log = events_,
                          .hint_log = hints_,
                          .clock = clock_,
                          .rng = rng_,
                          .metrics = metrics_},
                         Unbounded()};
  events::HintHandler handler_{{.reader = reader_,
                                .snapshots = store_,
                                .due_queue = store_,
                                .dead_letters = letters_,
                                .clock = clock_,
                                .metrics = metrics_},
                               Unbounded()};
};

}  // namespace
}  // namespace tollbridge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tollbridge::fuzz::Rig rig;
  rig.Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
