#ifndef TOLLBRIDGE_SERVICES_SEARCH_METHODS_H_
#define TOLLBRIDGE_SERVICES_SEARCH_METHODS_H_

#include <vector>

#include "services/operations/method.h"

namespace tollbridge::search {

/// The service Search.
std::vector<operations::Method> SearchMethods();

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_SERVICES_SEARCH_METHODS_H_
