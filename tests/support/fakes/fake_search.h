#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_SEARCH_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_SEARCH_H_

#include <string_view>

namespace tollbridge::common::v1 {
class Order;
}

namespace tollbridge::test {

/// Whether an order matches a search query: `*`, or terms joined by ` AND `, each `field:value`,
/// `field:"value"` or `created:[from TO to]`. Fields are what the product relies on: id,
/// merchant_order_id, status, created (docs/interface.md#8-what-can-be-searched). Throws
/// std::invalid_argument for anything else, so that a query that the real service might not know
/// fails the test.
bool Matches(const common::v1::Order& order, std::string_view query);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_SEARCH_H_
