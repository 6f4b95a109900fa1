#include "services/payments/transaction_rules.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "services/domain/mark.h"

namespace tollbridge::payments {
namespace {

constexpr std::size_t kShortestCvc = 3;
constexpr std::size_t kLongestCvc = 4;

bool IsCvc(std::string_view text) {
  return text.size() >= kShortestCvc && text.size() <= kLongestCvc &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

void CheckExternal3ds(const v1::AuthenticateTransactionRequest& request, Violations& out) {
  if (!request.has_cavv() && !request.has_three_ds_version() &&
      !request.has_three_ds_method_used() && !request.has_ds_transaction_id()) {
    return;
  }
  const std::pair<std::string_view, const std::string&> needed[] = {
      {"cavv", request.cavv()},
      {"three_ds_version", request.three_ds_version()},
      {"three_ds_method_used", request.three_ds_method_used()},
      {"ds_transaction_id", request.ds_transaction_id()},
  };
  for (const auto& [name, value] : needed) {
    if (!value.empty()) continue;
    out.push_back({std::string(name), "is required with the other values of external 3-D Secure"});
  }
}

template <typename Request>
Violations OfPart(const Request& request, const domain::Project* project) {
  Violations out;
  CheckProject(request.project(), project, out);
  if (request.has_description() && !request.has_amount()) {
    out.push_back({"description", "must be absent without an amount"});
  }
  CheckDescription(request.description(), out);
  return out;
}

}  // namespace

void CheckProject(std::string_view name, const domain::Project* project, Violations& out) {
  if (project != nullptr) return;
  out.push_back({"project", name.empty() ? "is required, because several projects are configured"
                                         : "must name a configured project"});
}

void CheckDescription(std::string_view description, Violations& out) {
  if (domain::CarriesAnyMark(description)) {
    out.push_back({"description", "must not carry a mark of the gateway ([tb:...])"});
  }
}

Violations InitiateTransactionViolations(const v1::InitiateTransactionRequest& request,
                                         const domain::Project* project) {
  Violations out;
  CheckProject(request.project(), project, out);
  return out;
}

Violations AuthenticateTransactionViolations(const v1::AuthenticateTransactionRequest& request,
                                             const domain::Project* project) {
  Violations out;
  CheckProject(request.project(), project, out);
  if (request.has_cvc() && !IsCvc(request.cvc())) {
    out.push_back({"cvc", "must have three or four digits"});
  }
  CheckExternal3ds(request, out);
  return out;
}

Violations CaptureTransactionViolations(const v1::CaptureTransactionRequest& request,
                                        const domain::Project* project) {
  return OfPart(request, project);
}

Violations VoidTransactionViolations(const v1::VoidTransactionRequest& request,
                                     const domain::Project* project) {
  return OfPart(request, project);
}

Violations CreateRefundViolations(const v1::CreateRefundRequest& request,
                                  const domain::Project* project) {
  Violations out;
  CheckProject(request.project(), project, out);
  CheckDescription(request.description(), out);
  return out;
}

}  // namespace tollbridge::payments
