#include "sandbox/search/order_search.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

bool IsKept(SortField field) { return field == SortField::kId || field == SortField::kCreated; }

struct Sortable {
  SortKey key;
  const Order* order = nullptr;
};

/// Brings the first `count` in order. Equal ones by id, so that every page has the same order.
void SortFirst(std::vector<Sortable>& rows, std::size_t count, bool descending) {
  const auto comes_before = [descending](const Sortable& a, const Sortable& b) {
    if (ComesBefore(a.key, b.key, descending)) return true;
    return !ComesBefore(b.key, a.key, descending) && a.order->id < b.order->id;
  };
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows.size()));
  std::partial_sort(rows.begin(), middle, rows.end(), comes_before);
}

}  // namespace

/// Takes what matches out of what it is offered.
class OrderSearch::Gathering {
 public:
  Gathering(const Orders& orders, const Uuid& project, const SearchRequest& request, Time as_of)
      : orders_(orders), project_(project), request_(request), as_of_(as_of) {
    if (request.after) after_ = KeyOf(*request.after);
  }

  /// Keep no more than `take` after the first `skip`.
  void Limit(std::size_t skip, std::size_t take) {
    skip_ = skip;
    take_ = take;
  }
  /// The hits need not be counted: stop when the page is full, and begin at the cursor.
  void DoNotCount() { counting_ = false; }
  bool counting() const { return counting_; }

  /// False when no more is wanted.
  bool Offer(const Order& stored) {
    const Order* order = View(stored);
    if (order == nullptr || order->project_id != project_ || !request_.query.Matches(*order)) {
      return true;
    }
    ++hits_;
    if (after_ &&
        !ComesBefore(*after_, KeyOf(request_.sort.field, *order), request_.sort.descending)) {
      return true;
    }
    if (skip_ > 0) {
      --skip_;
    } else if (found_.size() < take_) {
      found_.push_back(order);
    }
    return counting_ || found_.size() < take_;
  }

  std::size_t hits() const { return hits_; }
  std::vector<const Order*>& found() { return found_; }

 private:
  /// nullptr: not yet in the index.
  const Order* View(const Order& stored) const {
    if (stored.modified <= as_of_) return &stored;
    return orders_.AsOf(stored.id, as_of_);
  }

  const Orders& orders_;
  const Uuid& project_;
  const SearchRequest& request_;
  const Time as_of_;
  std::optional<SortKey> after_;
  std::size_t skip_ = 0;
  std::size_t take_ = kNoLimit;
  bool counting_ = true;
  std::size_t hits_ = 0;
  std::vector<const Order*> found_;
};

SearchPage OrderSearch::Find(const Uuid& project, const SearchRequest& request, Time as_of) {
  Gathering gathering(*orders_, project, request, as_of);
  const bool kept = IsKept(request.sort.field);
  if (kept) gathering.Limit(request.start, request.size);
  if (kept && request.query.finds_all()) gathering.DoNotCount();
  Walk(request, gathering);

  SearchPage page;
  page.hits = gathering.counting() ? gathering.hits() : Count(project, as_of);
  if (kept) {
    page.orders = std::move(gathering.found());
    return page;
  }
  std::vector<Sortable> rows;
  rows.reserve(gathering.found().size());
  for (const Order* order : gathering.found()) {
    rows.push_back({KeyOf(request.sort.field, *order), order});
  }
  const std::size_t end = std::min(request.start + request.size, rows.size());
  SortFirst(rows, end, request.sort.descending);
  for (std::size_t i = request.start; i < end; ++i) page.orders.push_back(rows[i].order);
  return page;
}

std::vector<Uuid> OrderSearch::FindAll(const Uuid& project, const SearchRequest& request,
                                       Time as_of) {
  SearchRequest whole = request;
  whole.start = 0;
  whole.size = orders_->by_id().size();
  const SearchPage page = Find(project, whole, as_of);
  std::vector<Uuid> ids;
  ids.reserve(page.orders.size());
  for (const Order* order : page.orders) ids.push_back(order->id);
  return ids;
}

void OrderSearch::Walk(const SearchRequest& request, Gathering& gathering) const {
  if (const std::optional<Uuid> id = request.query.only_id()) {
    const Order* order = orders_->Find(*id);
    if (order != nullptr) gathering.Offer(*order);
  } else if (const std::optional<std::string> reference = request.query.only_reference()) {
    OfferThese(orders_->ByReference(*reference), request, gathering);
  } else if (const std::optional<Bounds<Time>> created = request.query.created()) {
    OfferThese(CreatedWithin(*created), request, gathering);
  } else if (request.sort.field == SortField::kCreated) {
    WalkByCreation(request, gathering);
  } else {
    WalkById(request, gathering);
  }
}

std::vector<Uuid> OrderSearch::CreatedWithin(const Bounds<Time>& bounds) const {
  const std::vector<Uuid>& ids = orders_->by_creation();
  const auto created = [this](const Uuid& id) { return orders_->Find(id)->created; };
  const auto first =
      bounds.from ? std::ranges::lower_bound(ids, *bounds.from, {}, created) : ids.begin();
  const auto last =
      bounds.to ? std::ranges::upper_bound(first, ids.end(), *bounds.to, {}, created) : ids.end();
  return {first, last};
}

void OrderSearch::OfferThese(std::vector<Uuid> ids, const SearchRequest& request,
                             Gathering& gathering) const {
  if (request.sort.field == SortField::kCreated) {
    std::ranges::sort(ids, {},
                      [this](const Uuid& id) { return std::pair(orders_->Find(id)->created, id); });
  } else {
    std::ranges::sort(ids);
  }
  if (IsKept(request.sort.field) && request.sort.descending) std::ranges::reverse(ids);
  for (const Uuid& id : ids) {
    if (!gathering.Offer(*orders_->Find(id))) return;
  }
}

void OrderSearch::WalkById(const SearchRequest& request, Gathering& gathering) const {
  const std::map<Uuid, Order>& orders = orders_->by_id();
  const Uuid* cursor =
      !gathering.counting() && request.after ? std::get_if<Uuid>(&*request.after) : nullptr;
  const bool descending = request.sort.field == SortField::kId && request.sort.descending;
  if (descending) {
    const auto first = cursor == nullptr ? orders.end() : orders.lower_bound(*cursor);
    for (auto i = std::make_reverse_iterator(first); i != orders.rend(); ++i) {
      if (!gathering.Offer(i->second)) return;
    }
    return;
  }
  const auto first = cursor == nullptr ? orders.begin() : orders.upper_bound(*cursor);
  for (auto i = first; i != orders.end(); ++i) {
    if (!gathering.Offer(i->second)) return;
  }
}

void OrderSearch::WalkByCreation(const SearchRequest& request, Gathering& gathering) const {
  const std::vector<Uuid>& ids = orders_->by_creation();
  const std::int64_t* cursor =
      !gathering.counting() && request.after ? std::get_if<std::int64_t>(&*request.after) : nullptr;
  const auto created = [this](const Uuid& id) { return orders_->Find(id)->created; };
  if (request.sort.descending) {
    const auto first = cursor == nullptr
                           ? ids.end()
                           : std::ranges::lower_bound(ids, Time(Millis(*cursor)), {}, created);
    for (auto i = std::make_reverse_iterator(first); i != ids.rend(); ++i) {
      if (!gathering.Offer(*orders_->Find(*i))) return;
    }
    return;
  }
  const auto first = cursor == nullptr
                         ? ids.begin()
                         : std::ranges::upper_bound(ids, Time(Millis(*cursor)), {}, created);
  for (auto i = first; i != ids.end(); ++i) {
    if (!gathering.Offer(*orders_->Find(*i))) return;
  }
}

std::size_t OrderSearch::Count(const Uuid& project, Time as_of) {
  const std::vector<Uuid>& ids = orders_->by_creation();
  const bool was_reset =
      counted_ > ids.size() || (counted_ > 0 && ids[counted_ - 1] != last_counted_);
  if (was_reset) {
    created_.clear();
    counted_ = 0;
  }
  for (; counted_ < ids.size(); ++counted_) {
    const Order& order = *orders_->Find(ids[counted_]);
    created_[order.project_id].push_back(order.created);
    last_counted_ = order.id;
  }
  const std::vector<Time>& times = created_[project];
  return static_cast<std::size_t>(std::ranges::upper_bound(times, as_of) - times.begin());
}

}  // namespace tollbridge::sandbox
