#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_DOORS_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_DOORS_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/chaos/events_driver/cluster.h"

namespace tollbridge::pipeline {

enum class Ending {
  kDone,
  kAgain,    ///< the same call may bring more
  kRefused,  ///< it never will
};

/// What an order, a card or a link came back as. Lives in memory only: it holds tokens.
struct Made {
  Ending ending = Ending::kAgain;
  std::string id;
  std::string transaction;
  std::string setup_token;
  std::string url;  ///< the customer's page
  std::string vault_token;
};

struct NewOrder {
  std::int64_t amount = 0;
  std::string currency = "EUR";
  std::string method;  ///< empty: the customer picks
  bool capture_later = false;
  bool account_funding = false;
  std::string expiration;  ///< ISO 8601; empty: none
};

/// A way in for merchants. Blocks; any thread.
class Door {
 public:
  Door() = default;
  virtual ~Door() = default;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  virtual Made Create(const std::string& key, const NewOrder& wanted) = 0;
  virtual Made StoreCard(const std::string& key, const Made& order, std::string_view pan) = 0;
  virtual Made Initiate(const std::string& key, const Made& order,
                        const std::string& vault_token) = 0;
  virtual Made Authenticate(const std::string& key, const Made& order,
                            const std::string& vault_token) = 0;
  virtual Made Capture(const std::string& key, const Made& order) = 0;
  virtual Made Void(const std::string& key, const Made& order) = 0;
  virtual Made Refund(const std::string& key, const std::string& order, std::int64_t amount) = 0;
  virtual Made PayOut(const std::string& key, std::int64_t amount, std::string_view pan) = 0;
  virtual Made MakeLink(const std::string& key, std::int64_t amount) = 0;
};

/// Straight at the payment service, as its portal and other systems of the merchant do: Tollbridge
/// knows nothing of it. And what customers, banks and time do there.
class ServiceDoor final : public Door {
 public:
  explicit ServiceDoor(Cluster* cluster);

  Made Create(const std::string& key, const NewOrder& wanted) override;
  Made StoreCard(const std::string& key, const Made& order, std::string_view pan) override;
  Made Initiate(const std::string& key, const Made& order, const std::string& vault_token) override;
  Made Authenticate(const std::string& key, const Made& order,
                    const std::string& vault_token) override;
  Made Capture(const std::string& key, const Made& order) override;
  Made Void(const std::string& key, const Made& order) override;
  Made Refund(const std::string& key, const std::string& order, std::int64_t amount) override;
  Made PayOut(const std::string& key, std::int64_t amount, std::string_view pan) override;
  Made MakeLink(const std::string& key, std::int64_t amount) override;

  /// "approve", "decline", "expire", "refund", "chargeback", "reversal"; false: it is refused now.
  bool Happen(const std::string& order, std::string_view outcome,
              std::optional<std::int64_t> amount = std::nullopt);
  /// Submits a form of a page; gives where the customer is sent, empty when the page refuses.
  std::string Submit(const std::string& page, const std::string& form);
  /// Picks a card on the order's page and pays with it; gives where the customer is sent, empty: it
  /// is refused now.
  std::string PayOnPage(const std::string& page, std::string_view pan);
  /// The form of a card's page alone.
  std::string EnterCard(const std::string& page, std::string_view pan);

 private:
  Made Post(const std::string& path, const boost::json::object& body);
  Made Start(const Made& order, std::string_view how, const std::string& vault_token);

  Cluster& cluster_;
  std::string base_;
};

/// Through the gateway, under idempotency keys.
class GatewayDoor final : public Door {
 public:
  explicit GatewayDoor(Cluster* cluster) : cluster_(*cluster) {}

  Made Create(const std::string& key, const NewOrder& wanted) override;
  Made StoreCard(const std::string& key, const Made& order, std::string_view pan) override;
  Made Initiate(const std::string& key, const Made& order, const std::string& vault_token) override;
  Made Authenticate(const std::string& key, const Made& order,
                    const std::string& vault_token) override;
  Made Capture(const std::string& key, const Made& order) override;
  Made Void(const std::string& key, const Made& order) override;
  Made Refund(const std::string& key, const std::string& order, std::int64_t amount) override;
  Made PayOut(const std::string& key, std::int64_t amount, std::string_view pan) override;
  Made MakeLink(const std::string& key, std::int64_t amount) override;

 private:
  template <typename Request>
  Made Send(std::string_view rpc, const std::string& key, Request request);
  template <typename Request>
  Made About(std::string_view rpc, const std::string& key, const Made& order, Request request);

  Cluster& cluster_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_DOORS_H_
