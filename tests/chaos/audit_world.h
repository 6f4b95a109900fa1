#ifndef TOLLBRIDGE_TESTS_CHAOS_AUDIT_WORLD_H_
#define TOLLBRIDGE_TESTS_CHAOS_AUDIT_WORLD_H_

#include <cstdint>
#include <set>
#include <string>

#include "base/core/uuid.h"
#include "tests/chaos/auditor/audit.h"
#include "tests/chaos/auditor/history.h"

namespace tollbridge::chaos {

/// A history to plant contradictions in. Without any it is a run in which an order "shirt" was
/// created, its card stored, paid, and refunded in part, another one was authorized and captured, a
/// third voided, a "watch" paid with a wallet, a "prize" paid out to a card, and a link made: each
/// once, each told, each with its records and events.
class AuditWorld {
 public:
  AuditWorld();

  History history;

  /// Id of the operation that a key names.
  static std::string OperationOf(const std::string& key);
  /// Any id, always the same of one name.
  static std::string Id(const std::string& name);
  static std::string MarkOf(const std::string& key, int attempt = 1);

  /// Adds a call, begun after all that was added before it. A refund is of 500 EUR, all else of
  /// 1250.
  Told& Tell(const std::string& key, const std::string& rpc);
  void TellResult(const std::string& key, const std::string& rpc, const std::string& result);
  void TellError(const std::string& key, const std::string& rpc, const std::string& reason,
                 const std::string& retry);
  /// A record of the operations topic, the next of its operation.
  OperationLine& Record(const std::string& key, const std::string& rpc, const std::string& to);
  void Done(const std::string& key, const std::string& rpc, const std::string& order);
  KnownOrder& AddOrder(const std::string& name, const std::string& key, int attempt = 1);
  Effect& AddEffect(const std::string& effect, const std::string& order, const std::string& result);
  /// A payment link whose merchant_order_id is the key.
  Effect& AddLink(const std::string& key, const std::string& link);
  void AddEvent(const std::string& order, const std::string& type, std::int64_t sequence);
  OpenLine& Leave(const std::string& key, const std::string& rpc, const std::string& state,
                  const std::string& reason = "");

  /// The line that was told for a key, the first; throws when there is none.
  Told& told(const std::string& key);

 private:
  /// Asked for, done, told and recorded.
  void Once(const std::string& key, const std::string& rpc, const std::string& effect,
            const std::string& order, const std::string& result);
  void PayByWallet(const std::string& name);
  void PayOut(const std::string& name);
  void CreateAndPay(const std::string& name, const std::string& effect, bool manual);

  TimeMs now_ = 1'000'000;
};

/// The kinds of contradictions that the auditor names, each once.
std::set<std::string> Kinds(const Report& report);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_AUDIT_WORLD_H_
