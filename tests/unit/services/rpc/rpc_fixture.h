#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_RPC_RPC_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_RPC_RPC_FIXTURE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "services/rpc/call.h"
#include "services/rpc/method.h"
#include "services/rpc/middleware.h"
#include "services/rpc/pipeline.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {

/// A handler that does what a test says.
class FakeHandler : public Handler {
 public:
  using Fn = std::function<AsyncStatus(Call&)>;

  explicit FakeHandler(Fn fn) : fn_(std::move(fn)) {}
  /// Answers with `status` at once.
  explicit FakeHandler(absl::Status status = absl::OkStatus())
      : fn_([status](Call&) { return Just(status); }) {}

  AsyncStatus Handle(Call& call) override {
    ++calls;
    return fn_(call);
  }

  int calls = 0;

 private:
  static AsyncStatus Just(absl::Status status) { co_return status; }

  Fn fn_;
};

/// The methods of the test service, a clock that stands still, and an io_context to run coroutines
/// on.
class RpcTest : public ::testing::Test {
 protected:
  using EchoRequest = tollbridge::testing::v1::EchoRequest;

  static constexpr const char* kService = "tollbridge.testing.v1.Echo";

  const MethodInfo& Method(const std::string& name) {
    return *methods_.Find(std::string(kService) + "." + name);
  }

  CallHead Head() {
    return {"ipv4:127.0.0.1:1", clock_.BootNow() + std::chrono::seconds(10), {}, LocalCaller()};
  }

  std::unique_ptr<Call> MakeCall(const EchoRequest& request = {}) {
    return std::make_unique<Call>(Method("Say"), Head(), request);
  }

  /// Runs a call through one link and the handler.
  template <typename Link>
  absl::Status Run(Link& link, Call& call, Handler& handler) {
    return test::Await(context_, link.Handle(call, Next({}, handler)));
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  MethodTable methods_ = *MethodTable::Of({kService});
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_RPC_RPC_FIXTURE_H_
