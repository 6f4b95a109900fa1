#ifndef TOLLBRIDGE_SERVICES_RPC_VALIDATE_H_
#define TOLLBRIDGE_SERVICES_RPC_VALIDATE_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/field_rules.h"
#include "services/domain/project.h"
#include "services/rpc/method.h"
#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

/// What requests must fulfil: the rules of their fields, from the .proto, and what a method demands
/// beyond them. Filled at start, then shared by all shards.
class RequestRules {
 public:
  /// `methods` outlives this.
  RequestRules(const MethodTable& methods, domain::FieldLimits limits);

  /// A rule over the whole request of a method, beside those of its fields: it returns what is
  /// broken, empty when nothing is. It is given the request's project, nullptr when that is none
  /// that is configured. Pure; runs on any shard. Several add up. An unknown method, or one with
  /// another request type, is a mistake that status() tells.
  template <typename Request>
  void Add(std::string_view method,
           std::vector<domain::FieldViolation> (*rule)(const Request&, const domain::Project*)) {
    AddErased(method, Request::descriptor(),
              [rule](const google::protobuf::Message& request, const domain::Project* project) {
                return rule(static_cast<const Request&>(request), project);
              });
  }

  /// The first mistake made in Add. To be looked at before serving.
  const absl::Status& status() const { return status_; }

  /// All violations, those of the fields first. `project` is the request's; nullptr: none that is
  /// configured.
  std::vector<domain::FieldViolation> Check(const MethodInfo& method,
                                            const google::protobuf::Message& request,
                                            const domain::Project* project) const;

 private:
  using Rule = std::function<std::vector<domain::FieldViolation>(const google::protobuf::Message&,
                                                                 const domain::Project*)>;
  void AddErased(std::string_view method, const google::protobuf::Descriptor* type, Rule rule);

  const MethodTable& methods_;
  domain::FieldRulesChecker fields_;
  std::unordered_map<const MethodInfo*, std::vector<Rule>> rules_;
  absl::Status status_;
};

/// Link: INVALID_ARGUMENT INVALID_REQUEST with every violation at once. What it refuses reaches
/// neither the payment service nor the store.
class Validate : public Middleware {
 public:
  /// `rules` outlives the link.
  explicit Validate(const RequestRules& rules) : rules_(rules) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  const RequestRules& rules_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_VALIDATE_H_
