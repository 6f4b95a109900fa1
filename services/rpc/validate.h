#ifndef TOLLBRIDGE_SERVICES_RPC_VALIDATE_H_
#define TOLLBRIDGE_SERVICES_RPC_VALIDATE_H_

#include <functional>
#include <unordered_map>
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

  /// What a request breaks as a whole, empty when it is fine. It is given the request's project,
  /// nullptr when that is none that is configured. Pure; runs on any shard.
  using Rule = std::function<std::vector<domain::FieldViolation>(const google::protobuf::Message&,
                                                                 const domain::Project*)>;

  /// The rule of a method, which has the request's type; beside those of its fields.
  void Add(const MethodInfo& method, Rule rule) { rules_[&method] = std::move(rule); }

  /// All violations, those of the fields first. `project` is the request's; nullptr: none that is
  /// configured.
  std::vector<domain::FieldViolation> Check(const MethodInfo& method,
                                            const google::protobuf::Message& request,
                                            const domain::Project* project) const;

 private:
  domain::FieldRulesChecker fields_;
  std::unordered_map<const MethodInfo*, Rule> rules_;
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
