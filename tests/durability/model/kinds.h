#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_KINDS_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_KINDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "tests/durability/model/service.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::model {

/// The kinds of mutations of docs/design/operations.md#evidence, each with what sets it apart from
/// the others. Their steps and evidence are the product's.
enum class Kind {
  kCreate,    ///< makes an order; found by search; what comes late is an orphan
  kStart,     ///< of a transaction; the service refuses a repeat, whoever asks
  kCapture,   ///< the same, but found by what was made from the order
  kRefund,    ///< carries its mark; absence does not allow to run again
  kUnmarked,  ///< a refund without a mark
  kPayout,    ///< two steps; only the second counts
  kToken,     ///< cannot be read back; the service refuses a repeat
  kLink,      ///< cannot be read back, and nothing refuses a repeat
};
inline constexpr int kKinds = 8;

std::string_view NameOf(Kind kind);
/// About an order that is there.
bool HasGate(Kind kind);
/// About a transaction of it: what was done is seen by all keys that ask for it.
bool IsOfTransaction(Kind kind);
/// Of which limit of money it takes: `refunds.EUR`; empty for none.
std::string_view LimitOf(Kind kind);
/// Nothing but the record shows what was done.
bool OnlyRecordShows(Kind kind);

/// Two projects in one store. Their names are those of tests/support/test_keyspace.h.
inline constexpr std::size_t kProjects = 2;
const domain::Project& ProjectAt(std::size_t number);
std::size_t NumberOf(const domain::Project& project);
/// The first `count` of them.
const domain::Projects& TheProjects(std::size_t count);

/// What a capture of the whole captures.
inline constexpr std::int64_t kWholeAmount = 1000;

/// Plans of all kinds. They run on a Service.
const operations::PlanTable& ThePlans();

/// What a caller asks for.
struct Ask {
  Kind kind = Kind::kCreate;
  int call = 0;
  int key = 0;
  std::size_t project = 0;
  std::string idempotency_key;
  Uuid operation;
  std::string order_id;
  std::string transaction_id;
  std::int64_t amount = 0;
  /// It is a payout above its limit: a second person has to confirm it.
  bool needs_approval = false;
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
