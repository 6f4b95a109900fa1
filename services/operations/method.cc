#include "services/operations/method.h"

#include <map>
#include <string>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "base/core/status_macros.h"

namespace tollbridge::operations {
namespace {

namespace pb = google::protobuf;

absl::Status Misfit(const std::string& name, std::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(name, ": ", std::string(what)));
}

/// What is wrong with a mutation's plan or with what else a method does; empty: nothing.
std::string_view MistakeOf(const rpc::MethodInfo& method, const Method& made) {
  const bool mutation = method.effect == options::v1::EFFECT_MUTATION;
  if (std::holds_alternative<PlanRegistration>(made.does)) {
    if (!mutation) return "has a plan and is no mutation";
    const pb::Descriptor& response = *method.descriptor->output_type();
    return response.FindFieldByName("pending") == nullptr ? "cannot answer that it is pending" : "";
  }
  const auto& reading = std::get<Reading>(made.does);
  if (mutation) return "is a mutation without a plan";
  if (method.server_streaming != reading.streams)
    return "streams and should not, or should and does not";
  if (method.descriptor->output_type() != reading.response) return "answers with another message";
  return "";
}

AsyncStatus NotResolved(const rpc::Call& call) {
  co_return absl::InternalError(
      absl::StrCat(call.method().full_name, ": the project was not resolved"));
}

class BoundMethod final : public rpc::Handler {
 public:
  BoundMethod(Responder respond, bool waits) : respond_(std::move(respond)), waits_(waits) {}
  AsyncStatus Handle(rpc::Call& call) override {
    return call.project() == nullptr ? NotResolved(call) : respond_(call);
  }
  bool waits() const override { return waits_; }

 private:
  Responder respond_;
  bool waits_;
};

}  // namespace

void method_internal::CheckProject(std::string_view name, const domain::Project* project,
                                   std::vector<domain::FieldViolation>& out) {
  if (project != nullptr) return;
  out.push_back({"project", name.empty() ? "is required, because several projects are configured"
                                         : "must name a configured project"});
}

absl::StatusOr<std::unique_ptr<const Methods>> Methods::Of(const rpc::MethodTable& published,
                                                           std::vector<Method> methods,
                                                           domain::FieldLimits limits) {
  std::map<const pb::MethodDescriptor*, Method*> made;
  std::vector<PlanRegistration> plans;
  for (Method& method : methods) {
    const pb::MethodDescriptor* found = rpc::MethodOf(*method.request);
    const std::string& name = found != nullptr ? found->full_name() : method.request->full_name();
    if (found == nullptr || published.Find(name) == nullptr) {
      return Misfit(name, "is of no published method");
    }
    if (!made.emplace(found, &method).second) return Misfit(name, "is there twice");
    if (auto* plan = std::get_if<PlanRegistration>(&method.does)) plans.push_back(*plan);
  }
  for (const rpc::MethodInfo& method : published.all()) {
    const auto found = made.find(method.descriptor);
    if (found == made.end()) return Misfit(method.full_name, "is published and not made");
    const std::string_view mistake = MistakeOf(method, *found->second);
    if (!mistake.empty()) return Misfit(method.full_name, mistake);
  }
  TB_ASSIGN_OR_RETURN(PlanTable table, PlanTable::Of(std::move(plans)));
  std::unique_ptr<Methods> all(new Methods(published, std::move(table), limits));
  for (const rpc::MethodInfo& method : published.all()) {
    Method& of = *made.at(method.descriptor);
    all->rules_.Add(method, std::move(of.rule));
    if (auto* reading = std::get_if<Reading>(&of.does)) {
      all->readings_.emplace_back(&method, std::move(*reading));
    }
  }
  return all;
}

void Methods::Bind(const MethodPorts& ports, rpc::Dispatcher& dispatcher) const {
  for (const auto& [method, reading] : readings_) {
    dispatcher.Handle(*method, std::make_unique<BoundMethod>(reading.bind(ports), reading.waits));
  }
}

}  // namespace tollbridge::operations
