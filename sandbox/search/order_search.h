#ifndef TOLLBRIDGE_SANDBOX_SEARCH_ORDER_SEARCH_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_ORDER_SEARCH_H_

#include <cstddef>
#include <map>
#include <vector>

#include "base/core/uuid.h"
#include "sandbox/core/model.h"
#include "sandbox/core/orders.h"
#include "sandbox/search/search_request.h"

namespace tollbridge::sandbox {

/// What was found.
struct SearchPage {
  /// How many orders match in all, whatever the page.
  std::size_t hits = 0;
  /// Of the page, sorted; equal ones in the order of their ids (by `created`: of their creation).
  /// They live until the next change of the orders.
  std::vector<const Order*> orders;
};

/// Finds a project's orders, as the index knows them: in the state that they had at `as_of`.
///
/// A page of `*` sorted by id or created costs as much as the page, wherever it begins; what was
/// created in a period or has one merchant_order_id, as much as there is of that. Every other
/// search looks at all orders once, since it counts its hits.
class OrderSearch {
 public:
  explicit OrderSearch(const Orders* orders) : orders_(orders) {}

  SearchPage Find(const Uuid& project, const SearchRequest& request, Time as_of);
  /// Ids of the whole result, sorted.
  std::vector<Uuid> FindAll(const Uuid& project, const SearchRequest& request, Time as_of);

 private:
  class Gathering;

  /// Offers the orders to it in the sort's order where that is kept (id, created), else by id.
  void Walk(const SearchRequest& request, Gathering& gathering) const;
  /// Offers these.
  void OfferThese(std::vector<Uuid> ids, const SearchRequest& request, Gathering& gathering) const;
  std::vector<Uuid> CreatedWithin(const Bounds<Time>& bounds) const;
  void WalkById(const SearchRequest& request, Gathering& gathering) const;
  void WalkByCreation(const SearchRequest& request, Gathering& gathering) const;
  /// How many orders of the project there were at that time.
  std::size_t Count(const Uuid& project, Time as_of);

  const Orders* orders_;
  /// For Count: creation times of each project's orders, ascending, of the first `counted_` orders.
  std::map<Uuid, std::vector<Time>> created_;
  std::size_t counted_ = 0;
  /// The last order that was counted: another one in its place tells of a reset.
  Uuid last_counted_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_ORDER_SEARCH_H_
