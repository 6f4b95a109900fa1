#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_KINDS_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_KINDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "tests/durability/model/service.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::model {

/// The kinds of mutations of docs/design/operations.md#evidence, each with what sets it apart from
/// the others.
enum class Kind {
  kCreate,    ///< makes an order; found by search; what comes late is an orphan
  kStart,     ///< about an order; the service refuses a repeat
  kCapture,   ///< the same, but found by search
  kRefund,    ///< carries its mark; absence does not allow to run again
  kUnmarked,  ///< a refund without a mark
  kPayout,    ///< two steps; only the second counts
};
inline constexpr int kKinds = 6;

std::string_view NameOf(Kind kind);
bool HasGate(Kind kind);

const domain::Project& TheProject();

/// Plans of all kinds. They run on a Service.
const operations::PlanTable& ThePlans();

/// What a caller asks for.
struct Ask {
  Kind kind = Kind::kCreate;
  int call = 0;
  int key = 0;
  std::string idempotency_key;
  Uuid operation;
  std::string order_id;
  std::int64_t amount = 0;
};

/// The request of an ask, and its plan. The request outlives the first suspension of the engine's
/// call.
payments::v1::CreateOrderRequest RequestOf(const Ask& ask);
operations::Plan PlanOf(const Ask& ask, const payments::v1::CreateOrderRequest& request);

/// What a caller finds in a response.
struct Told {
  bool pending = false;
  /// The effect that it names; empty when pending.
  std::string effect_id;
};
Told ReadResponse(const std::string& response);

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_KINDS_H_
