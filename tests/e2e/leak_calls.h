#ifndef TOLLBRIDGE_TESTS_E2E_LEAK_CALLS_H_
#define TOLLBRIDGE_TESTS_E2E_LEAK_CALLS_H_

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "tests/e2e/leak_marks.h"
#include "tests/e2e/leak_sinks.h"
#include "tests/e2e/support/mutations.h"
#include "tests/support/grpc_client.h"
#include "tests/support/stack.h"

/// Calls with marks in them. Each kind of way that a call can go is one function.
namespace tollbridge::test {

class LeakCalls {
 public:
  /// All outlive this.
  LeakCalls(Stack& stack, Marks& marks, LeakSinks& sinks)
      : stack_(stack), marks_(marks), sinks_(sinks) {}

  /// Every mutation and every read with a good end.
  void Succeed();
  /// Cards that are declined, by payment and by payout.
  void Decline();
  /// Every method with marked fields that break their rules, texts that are no place for them, and
  /// bytes that are no request.
  void BreakRules();
  /// Past the rules: methods that are not there, messages over the limit, deadlines that are over,
  /// a project that is not there, a store that does not answer, a key that is used again.
  void FailBeforeSending();
  /// Marks that the payment service refuses by itself, then whatever it can answer, with the marks
  /// repeated in it.
  void FailUpstream();
  /// It answers as it should and repeats card data in the order.
  void HearCardData();
  /// The gateway dies with the marks in it.
  void Crash();

  /// Sends marks to every method but those that ask for this permission; all must be refused.
  void BeDenied(std::string_view but_for);
  /// Waits until operations and events are written down, and spans are out.
  void Settle(const OtlpReceiver& collector);

  /// What callers were given, in which card data has no place either, but for a cryptogram that
  /// they asked for.
  const std::string& answers() const { return answers_; }

 private:
  /// A mutation with marks, ready to be called; `pan` where it takes a card.
  Mutation Marked(Kind kind, const std::string& name, std::string_view pan);
  Told Call(const Mutation& mutation,
            std::chrono::milliseconds deadline = std::chrono::seconds(10));
  RpcStatus Call(const google::protobuf::MethodDescriptor& method,
                 const google::protobuf::Message& request, const RpcOptions& options = {});
  /// The calls that cannot be prepared for all alike.
  void SucceedWithExternalAuthentication();
  void SucceedWithOneClickAndAccountFunding(const std::string& vault_token);
  void SucceedReading(const std::map<std::string, std::string>& texts);
  void FailOnceUpstream(Kind kind, const std::string& route, const std::string& name,
                        const std::string& fault);

  Stack& stack_;
  Marks& marks_;
  LeakSinks& sinks_;
  std::string answers_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_LEAK_CALLS_H_
