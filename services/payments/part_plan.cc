#include "services/payments/part_plan.h"

#include "services/domain/mark.h"

namespace tollbridge::payments {

std::string MarkedDescription(std::string_view description, const Uuid& operation) {
  const std::string mark = domain::DescriptionMark(operation);
  // The mark begins with the space that parts it from the text.
  return description.empty() ? mark.substr(1) : std::string(description) + mark;
}

}  // namespace tollbridge::payments
