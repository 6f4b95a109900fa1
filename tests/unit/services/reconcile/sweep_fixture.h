#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_SWEEP_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_SWEEP_FIXTURE_H_

#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "services/reconcile/search_sweep.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_hint_log.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/fake_search.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/fakes/unasked_payment_service.h"

namespace tollbridge::reconcile {

/// Ids that sort as their numbers.
inline Uuid OrderId(std::uint32_t number) {
  Uuid id = Uuid::V4({0xaa});
  for (std::size_t i = 0; i < 4; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  }
  return id;
}

inline std::string IdText(std::uint32_t number) { return OrderId(number).ToString(); }

/// That a question is about; none where it is about a status.
struct Period {
  WallTime from;
  WallTime to;
};
inline Period PeriodOf(std::string_view query) {
  constexpr std::string_view kCreated = "created:[";
  constexpr std::string_view kTo = " TO ";
  if (!query.starts_with(kCreated)) return {};
  const std::size_t middle = query.find(kTo);
  const auto time = [](std::string_view text) {
    google::protobuf::Timestamp at;
    EXPECT_TRUE(google::protobuf::util::TimeUtil::FromString(std::string(text), &at)) << text;
    return domain::ToWallTime(at);
  };
  query.remove_suffix(1);
  return {.from = time(query.substr(kCreated.size(), middle - kCreated.size())),
          .to = time(query.substr(middle + kTo.size()))};
}

/// A search over orders that are made when they are asked for. Answers as
/// docs/interface.md#8-what-can-be-searched has it, and fails the test where it is asked for
/// anything else.
class FakeOrderSearch final : public test::UnaskedPaymentService {
 public:
  using Make = std::function<common::v1::Order(std::uint32_t number)>;

  /// Orders 0 to count - 1; their ids are set here.
  std::uint32_t count = 0;
  Make make;
  /// When set, that is what is answered about a project.
  std::function<absl::Status(const domain::Project&)> fail;
  /// Questions of which it is true get no answer.
  std::function<bool(std::string_view query)> fail_query;
  std::vector<std::string> queries;
  std::uint64_t pages = 0;
  std::int64_t largest_page = 0;
  bool tells_hits = true;
  /// Numbers of orders that cannot be read.
  std::set<std::uint32_t> unreadable;
  /// Numbers of orders whose pages get no answer.
  std::set<std::uint32_t> poisoned;
  /// Queries that begin so find nothing, which saves making all orders to see that.
  std::string answers_nothing_to;

  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project& project,
                                                    const common::v1::OrderSearch& search,
                                                    const ports::Context&) override {
    EXPECT_EQ(search.sort(), "id asc");
    EXPECT_FALSE(search.has_start());
    if (fail) {
      absl::Status failure = fail(project);
      if (!failure.ok()) co_return failure;
    }
    if (fail_query && fail_query(search.query())) co_return absl::UnavailableError("no answer");
    ++pages;
    if (queries.empty() || queries.back() != search.query()) queries.push_back(search.query());
    common::v1::OrderSearchResult page;
    if (!answers_nothing_to.empty() && search.query().starts_with(answers_nothing_to)) {
      co_return page;
    }
    const bool first = search.search_after() == "-1";
    std::uint32_t number = first ? 0 : NumberOf(search.search_after()) + 1;
    const auto shown = [&page] { return page.orders_size() + page.unreadable_size(); };
    for (; number < count && shown() < search.size(); ++number) {
      common::v1::Order order = make(number);
      order.set_id(OrderId(number).ToString());
      if (!test::Matches(order, search.query())) continue;
      page.set_search_after(order.id());
      if (poisoned.contains(number)) co_return absl::UnavailableError("no answer");
      if (unreadable.contains(number)) {
        page.add_unreadable()->set_id(order.id());
      } else {
        *page.add_orders() = std::move(order);
      }
    }
    if (tells_hits && first && number >= count) page.set_hits(shown());
    largest_page = std::max<std::int64_t>(largest_page, page.orders_size());
    co_return page;
  }

 private:
  static std::uint32_t NumberOf(const std::string& id) {
    const std::optional<Uuid> parsed = Uuid::Parse(id);
    EXPECT_TRUE(parsed.has_value()) << id;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8 | parsed->bytes[i];
    return number;
  }
};

/// A state of sweeps of which saves may fail.
class FlakySweepState final : public ports::SweepState {
 public:
  explicit FlakySweepState(ports::SweepState& state) : state_(state) {}

  /// Saves of which it is true fail. A lease of zero gives the project up.
  std::function<bool(const storage::v1::SweepProgress&, ports::Millis lease)> fail_save;

  Async<std::optional<storage::v1::SweepProgress>> Take(const std::string& project,
                                                        const std::string& token,
                                                        ports::Millis lease,
                                                        const ports::Context& context) override {
    return state_.Take(project, token, lease, context);
  }
  Async<bool> Save(const std::string& project, const std::string& token, ports::Millis lease,
                   const storage::v1::SweepProgress& progress,
                   const ports::Context& context) override {
    if (fail_save && fail_save(progress, lease)) co_return absl::UnavailableError("no answer");
    co_return co_await state_.Save(project, token, lease, progress, context);
  }
  Async<storage::v1::SweepProgress> Load(const std::string& project,
                                         const ports::Context& context) override {
    return state_.Load(project, context);
  }

 private:
  ports::SweepState& state_;
};

class SweepTest : public ::testing::Test {
 protected:
  using Order = common::v1::Order;

  /// A process that sweeps. Several may share store and topic.
  std::shared_ptr<SearchSweep> Make() { return Make(hints_); }
  std::shared_ptr<SearchSweep> Make(ports::HintLog& log) { return Make(log, clock_); }
  std::shared_ptr<SearchSweep> Make(ports::Clock& clock) { return Make(hints_, clock); }
  std::shared_ptr<SearchSweep> Make(ports::HintLog& log, ports::Clock& clock) {
    return SearchSweep::Create({.payment_service = search_,
                                .known_orders = store_.known_orders(),
                                .state = state_,
                                .due_queue = store_,
                                .hint_log = log,
                                .clock = clock,
                                .rng = rng_,
                                .metrics = metrics_},
                               settings_);
  }
  std::shared_ptr<SearchSweep> Start(const domain::Project& project) {
    std::shared_ptr<SearchSweep> sweep = Make();
    Run(sweep, project);
    return sweep;
  }
  void Run(const std::shared_ptr<SearchSweep>& sweep, const domain::Project& project) {
    boost::asio::co_spawn(context_, sweep->Run(project), [this](std::exception_ptr error) {
      EXPECT_FALSE(error);
      ++ended_;
    });
    Settle();
  }
  void Settle() {
    context_.restart();
    context_.poll();
  }
  void Pass(ports::Millis duration, ports::Millis step = std::chrono::milliseconds(100)) {
    for (; duration > ports::Millis(0); duration -= step) {
      clock_.Advance(step);
      Settle();
    }
  }

  /// The orders of `search_` are these.
  void Show(std::vector<Order> orders) {
    shown_ = std::move(orders);
    search_.count = static_cast<std::uint32_t>(shown_.size());
    search_.make = [this](std::uint32_t number) { return shown_[number]; };
  }
  Order Of(common::v1::OrderStatus status, ports::Millis age) const {
    Order order;
    order.set_status(status);
    *order.mutable_created() = domain::ToTimestamp(clock_.WallNow() - age);
    *order.mutable_modified() = order.created();
    return order;
  }
  /// A completed one, which does not say when it was modified.
  static Order CreatedAt(WallTime time) {
    Order order;
    order.set_status(common::v1::ORDER_STATUS_COMPLETED);
    *order.mutable_created() = domain::ToTimestamp(time);
    return order;
  }
  /// What is kept of that order.
  ports::FamilyState StateOf(std::uint32_t number) {
    const auto state =
        test::Await(context_, store_.Load({.project = "shop", .root = OrderId(number)}, {}));
    EXPECT_TRUE(state.ok()) << state.status();
    return state.value_or(ports::FamilyState{});
  }
  /// A snapshot of the order, and of a member of its family that looks like it.
  void Record(const Uuid& order, common::v1::OrderStatus status, WallTime modified,
              std::optional<Uuid> member = std::nullopt) {
    ports::SaveRequest request{.key = {.project = "shop", .root = order},
                               .expected_version = 0,
                               .snapshot = {},
                               .outbox = {},
                               .next_due = std::nullopt,
                               .seen_due = std::nullopt,
                               .retention = std::chrono::days(400)};
    request.snapshot.set_stream("stream");
    request.snapshot.mutable_root()->set_status(status);
    *request.snapshot.mutable_root()->mutable_modified() = domain::ToTimestamp(modified);
    if (member) {
      storage::v1::OrderState& state = *request.snapshot.add_members();
      state = request.snapshot.root();
      state.set_order_id(member->ToBytes());
    }
    const ports::Context context;
    const auto now = test::Await(context_, store_.Load(request.key, context));
    ASSERT_TRUE(now.ok()) << now.status();
    request.snapshot.set_epoch(now->epoch);
    ASSERT_EQ(*test::Await(context_, store_.Save(request, context)), ports::SaveVerdict::kSaved);
  }
  storage::v1::SweepProgress Progress(const std::string& project = "shop") {
    const ports::Context context;
    return *test::Await(context_, store_.sweep_state().Load(project, context));
  }
  std::vector<events::v1::Hint> Hints() const {
    std::vector<events::v1::Hint> hints;
    for (const ports::HintRecord& record : topic_.records(0)) {
      EXPECT_TRUE(hints.emplace_back().ParseFromString(record.value));
    }
    return hints;
  }
  std::vector<std::string> HintedOrders() const {
    std::vector<std::string> ids;
    for (const events::v1::Hint& hint : Hints()) ids.push_back(hint.order_id());
    return ids;
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  test::FakeStore store_{[this] { return clock_.WallNow(); }};
  FlakySweepState state_{store_.sweep_state()};
  test::FakeHintTopic topic_{1};
  test::FakeHintLog hints_{topic_};
  test::FakeRng rng_;
  telemetry::Metrics metrics_;
  FakeOrderSearch search_;
  SweepSettings settings_{.index_lag = std::chrono::minutes(1),
                          .baseline_window = std::chrono::hours(72),
                          .take_again_after = std::chrono::minutes(1)};
  const domain::Project shop_{.name = "shop", .id = Uuid::V4({1})};
  const domain::Project other_{.name = "other", .id = Uuid::V4({2})};
  int ended_ = 0;

 private:
  std::vector<Order> shown_;
};

}  // namespace tollbridge::reconcile

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_RECONCILE_SWEEP_FIXTURE_H_
