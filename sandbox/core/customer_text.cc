#include "sandbox/core/customer_text.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

namespace tollbridge::sandbox {

std::optional<std::string_view> CustomerText::Find(std::string_view field) {
  if (!customer_) {
    boost::system::error_code problem;
    boost::json::value value = boost::json::parse(order_.customer, problem);
    const bool is_object = !problem && value.is_object();
    customer_ = is_object ? std::move(value.get_object()) : boost::json::object();
  }
  const boost::json::value* found = customer_->if_contains(field);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string_view(found->get_string());
}

}  // namespace tollbridge::sandbox
