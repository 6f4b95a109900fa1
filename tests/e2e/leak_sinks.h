#ifndef TOLLBRIDGE_TESTS_E2E_LEAK_SINKS_H_
#define TOLLBRIDGE_TESTS_E2E_LEAK_SINKS_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/support/grpc_client.h"
#include "tests/support/leak_scan.h"
#include "tests/support/otlp_receiver.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"

namespace tollbridge::test {

/// All that a gateway writes, says or leaves behind, and which nothing secret may get into: its
/// logs (at level debug), /metrics, traces, Redis, Kafka, errors, and what its commands print.
class LeakSinks {
 public:
  /// Listens to Redis from now on. Both outlive this.
  LeakSinks(Stack& stack, const OtlpReceiver& collector);

  /// An error as the caller got it: message, details and all metadata.
  void Keep(const RpcReply& reply);
  void Keep(const RpcStatus& status);
  /// What a command printed.
  void Keep(const Finished& finished);

  /// Starts the gateway anew: what the one before wrote is kept.
  void Restart(const Environment& environment = {});

  /// Everything, as it is now.
  std::vector<Sink> Collect();
  /// The outcomes in Redis, opened with the key that they are sealed with.
  Sink OpenedOutcomes() const;

 private:
  void TakeGateway();
  Sink RedisValues() const;
  Sink RedisFiles() const;
  Sink Records(const std::string& topic) const;

  Stack& stack_;
  const OtlpReceiver& collector_;
  Process monitor_;
  std::string logs_;
  std::string metrics_;
  std::string errors_;
  std::string outputs_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_LEAK_SINKS_H_
