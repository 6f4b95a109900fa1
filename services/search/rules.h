#ifndef TOLLBRIDGE_SERVICES_SEARCH_RULES_H_
#define TOLLBRIDGE_SERVICES_SEARCH_RULES_H_

#include <string_view>

#include "services/domain/project.h"
#include "services/orders/request_rules.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::search {

// What requests of the service Search break beyond the rules that their fields declare: all at
// once, in the order of the fields. `project` is nullptr when the request names none that is
// configured.

/// Also: the sort's form, and a page_token that belongs to another search.
orders::Violations SearchOrdersViolations(const v1::SearchOrdersRequest& request,
                                          const domain::Project* project);
orders::Violations StreamOrdersViolations(const v1::StreamOrdersRequest& request,
                                          const domain::Project* project);
orders::Violations ExportOrdersViolations(const v1::ExportOrdersRequest& request,
                                          const domain::Project* project);

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_RULES_H_
