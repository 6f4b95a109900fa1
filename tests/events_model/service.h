#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_SERVICE_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_SERVICE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/uuid.h"
#include "tests/events_model/traits.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::events_model {

/// How the reads of one order fail for a time.
enum class Sickness : std::uint8_t { kNone, kError, kUnreadable, kNoAnswer, kNotFound };

/// An order as it was from a time on.
struct Version {
  Time at = 0;
  common::v1::Order order;
};

struct Family;

/// An order at the payment service, with all that it ever was.
struct SimOrder {
  Family* family = nullptr;
  Uuid id;
  std::string text_id;
  events::v1::EventKind kind = events::v1::EVENT_KIND_PAYMENT;
  std::vector<Version> versions;

  Sickness sickness = Sickness::kNone;
  Time sick_from = 0;
  Time sick_until = 0;

  /// When the read that began last did, and the last one of those that have an answer.
  Time read_begun = -1;
  Time answered_begun = -1;
  bool answered_not_found = false;
  /// Reads since nothing of the family changes any more.
  std::uint64_t idle_reads = 0;
  Time idle_from = -1;
  std::uint64_t reads = 0;

  const common::v1::Order& now() const { return versions.back().order; }
  bool IsSick(Time time) const {
    return sickness != Sickness::kNone && time >= sick_from && time < sick_until;
  }
};

/// A root and all orders made from it.
struct Family {
  std::size_t project = 0;
  SimOrder* root = nullptr;
  std::vector<SimOrder*> orders;
  Time changed = 0;
};

/// What is wrong with the payment service of a project; in percent of the reads.
struct Trouble {
  std::int64_t errors = 0;
  std::int64_t unreadable = 0;
  std::int64_t no_answer = 0;
  std::int64_t slow = 0;
  std::int64_t not_found = 0;
  /// No read leaves us.
  bool not_sent = false;
  /// Every read is refused for the rate, with such a time to wait.
  std::optional<Time> limited;
  /// Replicas are up to so far behind.
  Time lag = 0;
};

/// The payment service: shows orders as they are, or were a while ago, or not at all.
class Service final : public test::UnaskedPaymentService {
 public:
  struct Hooks {
    std::function<void(SimOrder&)> on_read;
    std::function<void(std::size_t project)> on_search;
  };

  Service(World& world, Hooks hooks) : world_(world), hooks_(std::move(hooks)) {}

  /// An order that is made now, of `parent`, or a root where there is none. `first` needs no id and
  /// no times.
  SimOrder& Add(std::size_t project, SimOrder* parent, events::v1::EventKind kind,
                common::v1::Order first);
  /// The order is another one from now on. `touches`: it shows so in `modified`.
  void Change(SimOrder& order, const std::function<void(common::v1::Order&)>& change,
              bool touches = true);
  /// nullptr when there is none.
  SimOrder* Find(std::size_t project, const Uuid& id);
  const std::vector<std::unique_ptr<SimOrder>>& orders() const { return orders_; }
  const std::vector<std::unique_ptr<Family>>& families() const { return families_; }

  Async<common::v1::Order> GetOrder(const domain::Project& project, std::string_view order_id,
                                    const ports::Context& context) override;
  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project& project,
                                                    const common::v1::OrderSearch& search,
                                                    const ports::Context& context) override;

  std::array<Trouble, kProjects> troubles;
  bool whole_seconds = false;
  /// How far its search index is behind.
  Time index_lag = 5 * kSecond;

 private:
  /// What a replica shows that is so far behind; nullptr: not there yet.
  const common::v1::Order* Shown(const SimOrder& order, Time behind) const;
  Uuid NewId();

  World& world_;
  Hooks hooks_;
  std::vector<std::unique_ptr<SimOrder>> orders_;
  std::vector<std::unique_ptr<Family>> families_;
  std::array<std::map<Uuid, SimOrder*>, kProjects> by_id_;
};

/// Where the project is in AllProjects().
std::size_t IndexOf(const domain::Project& project);

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_SERVICE_H_
