#include "services/payments/part_plan.h"

#include "services/domain/mark.h"

namespace tollbridge::payments {

std::string MarkedDescription(std::string_view description, const Uuid& operation) {
  std::string marked = domain::DescriptionMark(operation);
  if (!description.empty()) marked.append(" ").append(description);
  return marked;
}

}  // namespace tollbridge::payments
