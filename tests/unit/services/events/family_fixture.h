#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FAMILY_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FAMILY_FIXTURE_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/services/events/fixture.h"

namespace tollbridge::events {

inline constexpr char kCaptureId[] = "ca000000-93b1-4f7a-8a53-1d0f6a4c2b10";
inline constexpr char kRefundId[] = "ef000000-93b1-4f7a-8a53-1d0f6a4c2b10";
inline constexpr char kChargebackId[] = "cb000000-93b1-4f7a-8a53-1d0f6a4c2b10";
inline constexpr char kReversalId[] = "ae000000-93b1-4f7a-8a53-1d0f6a4c2b10";

/// Families of the root kOrderId.
class FamilyFixture : public EventsFixture {
 protected:
  static constexpr auto kNew = common::v1::ORDER_STATUS_NEW;
  static constexpr auto kProcessing = common::v1::ORDER_STATUS_PROCESSING;
  static constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;

  static Uuid Id(const std::string& text) { return *Uuid::Parse(text); }
  /// Why a root is read whose member a hint has named.
  static ReadRequest Naming(const std::string& member) { return {.members = {Id(member)}}; }

  /// A root of the family, that changed 50 s ago.
  common::v1::Order Root(common::v1::OrderStatus status) const {
    common::v1::Order order = MakeOrder(status);
    *order.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - std::chrono::seconds(50));
    return order;
  }
  /// An order that was made from `parent`, and changed so long ago.
  common::v1::Order Made(const std::string& link, const std::string& id,
                         common::v1::OrderStatus status,
                         ports::Millis changed_ago = std::chrono::seconds(30),
                         const std::string& parent = kOrderId) const {
    common::v1::Order order = MakeOrder(status, id);
    order.GetReflection()->SetString(&order, order.GetDescriptor()->FindFieldByName(link), parent);
    *order.mutable_created() = domain::ToTimestamp(clock_.WallNow() - changed_ago);
    *order.mutable_modified() = order.created();
    return order;
  }
  common::v1::Order Refund(common::v1::OrderStatus status) const {
    return Made("refund_of_order_id", kRefundId, status);
  }
  /// An authorization that names its capture, which names its refund.
  void ShowAuthorization(common::v1::OrderStatus refund) {
    common::v1::Order root = Root(kCompleted);
    root.add_related_orders(kCaptureId);
    reads_.Show(root);
    common::v1::Order capture =
        Made("capture_of_order_id", kCaptureId, kCompleted, std::chrono::seconds(40));
    capture.add_refund_orders(kRefundId);
    reads_.Show(capture);
    reads_.Show(
        Made("refund_of_order_id", kRefundId, refund, std::chrono::seconds(20), kCaptureId));
  }

  void EnterDue(const std::string& order_id, WallTime due) {
    const ports::FamilyKey key = Key(order_id);
    ASSERT_TRUE(Await(store_.Enter(key, due, {.deadline = clock_.BootNow(), .trace = {}})).ok());
  }

  /// What was published so far: "kind.what sequence".
  std::vector<std::string> Published() const {
    std::vector<std::string> texts;
    for (const auto& entry : events_.events) {
      const std::string type = HeaderOf(entry, "ce_type");
      const std::string kind_and_what =
          type.substr(sizeof("tollbridge.") - 1, type.size() - sizeof("tollbridge..v1") + 1);
      texts.push_back(kind_and_what + " " + std::to_string(entry.sequence()));
    }
    return texts;
  }
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_FAMILY_FIXTURE_H_
