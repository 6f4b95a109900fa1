#ifndef TOLLBRIDGE_BASE_CONFIG_PRETTY_JSON_H_
#define TOLLBRIDGE_BASE_CONFIG_PRETTY_JSON_H_

#include <boost/json/fwd.hpp>
#include <string>

namespace tollbridge::config {

/// JSON for people and for files that are compared: two spaces a level, objects and lists with a
/// line for each member, in their order, and a line end.
std::string PrettyJson(const boost::json::value& value);

}  // namespace tollbridge::config

#endif  // TOLLBRIDGE_BASE_CONFIG_PRETTY_JSON_H_
