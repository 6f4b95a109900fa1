// The process dies at each of the reader's steps, with a family of a payment and its refund: every
// outcome arrives, in order, and what arrives twice is an exact copy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/stack.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

using testing::ElementsAre;

constexpr std::string_view kRefundCompleted = "tollbridge.refund.completed.v1";

/// A stack whose gateway dies at these hooks, one after the other, while it learns that an order
/// was paid and partly given back.
class Crash {
 public:
  explicit Crash(std::vector<std::string> hooks) : hooks_(std::move(hooks)) {
    order_ = OrderOf(CreateOrder(stack_, OrderRequest("paid-at-" + hooks_.front())));
    if (!AwaitEvent(*events_, order_.id(), kPaymentCreated)) ADD_FAILURE() << "no created event";
    stack_.gateway().Signal(SIGTERM);
    stack_.gateway().WaitForExit();
    PayOnHostedPage(stack_, order_);
    refund_ = MadeAtTheService();
    StartNext();
  }

  const std::string& name() const { return hooks_.front(); }
  const std::string& root() const { return order_.id(); }

  /// Goes on to the next hook when the process has died at this one. True when none is left.
  bool Survived() {
    if (dying_ && stack_.gateway().WaitForExit(std::chrono::milliseconds(10))) StartNext();
    return !dying_;
  }

  /// Whether all was published and the hints are finished.
  bool Settled() {
    return Survived() && AllThere(events_->ReadAll()) &&
           stack_.Metric("tollbridge_hints_oldest_seconds") == 0;
  }

  /// The family's events, in order; those that came twice, once.
  std::vector<std::string> Told() {
    std::vector<std::string> told;
    std::map<std::uint64_t, TopicRecord> contents;
    for (const TopicRecord& record : events_->ReadAll()) {
      if (record.key != order_.id()) continue;
      events::v1::PaymentEvent event;
      EXPECT_TRUE(event.ParseFromString(record.value));
      const auto [first, is_new] = contents.emplace(event.sequence(), record);
      EXPECT_EQ(first->second.value, record.value);
      EXPECT_EQ(first->second.headers, record.headers);
      EXPECT_EQ(first->second.partition, record.partition);
      if (!is_new) continue;
      EXPECT_EQ(event.sequence(), contents.size()) << "without a gap, in order";
      told.push_back(event.type());
    }
    return told;
  }

 private:
  /// A refund by the merchant's portal; its id.
  std::string MadeAtTheService() {
    const http::Response answer =
        stack_.Http("POST", stack_.sandbox_url() + "/_sandbox/orders/" + order_.id() + "/pay",
                    R"({"outcome":"refund","amount":450})");
    if (answer.status != 200) throw std::runtime_error("refund: " + answer.body);
    for (const auto& each : stack_.SandboxOrders()) {
      const std::string id(each.at("id").as_string());
      if (id != order_.id()) return id;
    }
    throw std::runtime_error("there is no refund");
  }

  /// The next process, which dies of the next hook; the last one dies of none.
  void StartNext() {
    while (true) {
      dying_ = next_ < hooks_.size();
      const Environment environment =
          dying_ ? Environment{{"TOLLBRIDGE_CRASH_AT", hooks_[next_]}} : Environment{};
      ++next_;
      try {
        stack_.StartGateway(environment);
        break;
      } catch (const std::runtime_error&) {
        if (!dying_) throw;  // else it died before it served
      }
    }
    for (const std::string& id : {refund_, order_.id()}) {
      try {
        HttpCall("POST", stack_.webhook_url(), WebhookBody(id));
      } catch (const std::runtime_error&) {
        // It died before it answered. The next process is told again, as by the service.
      }
    }
  }

  bool AllThere(const std::vector<TopicRecord>& records) const {
    return !EventsOf(records, order_.id(), kPaymentCompleted).empty() &&
           !EventsOf(records, refund_, kRefundCompleted).empty();
  }

  std::vector<std::string> hooks_;
  std::size_t next_ = 0;
  bool dying_ = false;
  // Kafka soon gives the partitions of a dead reader away.
  Stack stack_{{.settings = {{"kafka", {{"session_timeout", "5s"}}}}}};
  std::unique_ptr<Topic> events_ = stack_.OpenTopic("events");
  common::v1::Order order_;
  std::string refund_;
};

/// Side by side, since each waits for Kafka to notice that its reader is dead.
void SurviveAll(std::vector<std::vector<std::string>> all) {
  std::vector<std::unique_ptr<Crash>> crashes;
  for (std::vector<std::string>& hooks : all) {
    crashes.push_back(std::make_unique<Crash>(std::move(hooks)));
  }
  for (const auto& crash : crashes) {
    SCOPED_TRACE(crash->name());
    const auto all_move_on = [&] {
      for (const auto& each : crashes) each->Survived();
      return crash->Settled();
    };
    EXPECT_TRUE(Eventually(all_move_on, kPatientLimit)) << "it did not settle";
    EXPECT_THAT(crash->Told(), ElementsAre(kPaymentCreated, kPaymentCompleted, kRefundCompleted));
  }
}

TEST(ReaderCrashTest, AtEachStepOfAMembersWayToItsRoot) {
  SurviveAll({{"events.after_forward"}, {"events.after_note"}, {"events.after_offset"}});
}

TEST(ReaderCrashTest, BeforeWhatWasDecidedIsOut) {
  SurviveAll({{"events.after_read"},
              {"events.after_save"},
              {"events.after_save", "events.after_pending_outbox"}});
}

TEST(ReaderCrashTest, WhileItIsPublished) {
  SurviveAll({{"events.after_publish_one"},
              {"events.after_publish_one", "events.after_publish_one"},
              {"events.after_publish"},
              {"events.after_clear"}});
}

}  // namespace
}  // namespace tollbridge::test
