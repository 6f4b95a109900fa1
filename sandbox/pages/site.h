#ifndef TOLLBRIDGE_SANDBOX_PAGES_SITE_H_
#define TOLLBRIDGE_SANDBOX_PAGES_SITE_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/http/message.h"
#include "sandbox/core/world.h"
#include "sandbox/pages/html.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

/// What every hosted page needs.
struct Site {
  World* world = nullptr;
  const Addresses* addresses = nullptr;
};

/// An order and one of its transactions.
struct Attempt {
  const Order* order = nullptr;
  const Transaction* transaction = nullptr;
};

/// The order that the call's first parameter names; nullptr when there is none.
const Order* OrderOf(const Site& site, const Call& call);
/// As above, with the transaction of that order that the second one names.
std::optional<Attempt> AttemptOf(const Site& site, const Call& call);

http::Response NotFoundPage();

/// The name of the shop that is paid.
std::string ShopName(const Site& site, const Uuid& project);
/// What is to be paid, to whom and for what, as a list. "" for what is not known.
struct Bill {
  std::string shop;
  std::string_view reference;
  std::string_view description;
  std::string amount;
};
std::string Draw(const Bill& bill);
Bill BillOf(const Site& site, const Order& order);

/// A form by which the customer gives up the order, whatever page it stands on.
std::string CancelForm(const Site& site, const Order& order);

/// What went wrong, for people: a card's field names become words, the rest is as the interface
/// says it.
std::string Plain(const ApiError& error);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_SITE_H_
