// With a seed and a start time, the same calls give the same answers and the same webhooks, byte
// for byte: on the real program, with a real receiver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/http/server.h"
#include "tests/integration/sandbox/sandbox_process.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;

/// Takes webhooks on a thread of its own, and answers 500 to the first one.
class Receiver {
 public:
  Receiver() {
    http::ServerOptions options;
    auto server = http::Server::Start(
        {context_.get_executor()}, options,
        [this](const http::Request& request, const http::ConnectionInfo&)
            -> boost::asio::awaitable<http::Response> { return Take(request); });
    if (!server.ok()) throw std::runtime_error(std::string(server.status().message()));
    server_ = *std::move(server);
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Receiver() {
    context_.stop();
    thread_.join();
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  std::string url() const { return "http://" + server_->address() + "/hook"; }
  /// What came since the last call.
  std::vector<std::string> TakeAll() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(bodies_, {});
  }

 private:
  boost::asio::awaitable<http::Response> Take(const http::Request& request) {
    http::Response response;
    const std::scoped_lock lock(mutex_);
    if (bodies_.empty()) response.status = 500;
    bodies_.push_back(request.body);
    co_return response;
  }

  boost::asio::io_context context_{1};
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<std::string> bodies_;
};

/// Everything that a run of the same calls gave.
struct Record {
  std::string answers;
  std::vector<std::string> webhooks;
  json::array deliveries;
};

Record RunCalls(Receiver& receiver, const std::string& seed) {
  const SandboxProcess sandbox({"--seed", seed, "--start-time", "2026-11-21T08:00:00Z",
                                "--public-url", "http://sandbox.test"});
  Record run;
  const auto note = [&](const http::Response& response) {
    run.answers += std::to_string(response.status) + " " + response.body + "\n";
    return response;
  };
  for (const char* outcome : {"approve", "decline", "expire"}) {
    const auto order = json::parse(
        note(sandbox.Ask("POST", "/v1/orders/",
                         R"({"currency":"EUR","amount":5,"webhook_url":")" + receiver.url() +
                             R"(","transactions":[{"payment_method":"credit-card"}]})"))
            .body);
    const std::string id(order.as_object().at("id").as_string());
    run.answers +=
        sandbox.Operate("orders/" + id + "/pay", std::string(R"({"outcome":")") + outcome + "\"}");
  }
  run.answers += sandbox.Operate("clock", R"({"advance":"PT30M"})");
  run.answers += sandbox.Look("orders") + sandbox.Look("ledger");
  run.webhooks = receiver.TakeAll();
  run.deliveries = json::parse(sandbox.Look("deliveries")).as_array();
  return run;
}

TEST(SandboxRepeatTest, SameSeedAndStartTimeGiveTheSameAnswersAndWebhooks) {
  Receiver receiver;
  const Record once = RunCalls(receiver, "11");
  const Record again = RunCalls(receiver, "11");
  EXPECT_EQ(once.answers, again.answers);
  EXPECT_EQ(once.webhooks, again.webhooks);
  EXPECT_EQ(once.deliveries, again.deliveries);
  // Two of the paid order, two of the declined one, one of the expired one, and a repeat.
  EXPECT_EQ(once.webhooks.size(), 6U);
  EXPECT_NE(once.answers, RunCalls(receiver, "12").answers);
}

}  // namespace
}  // namespace tollbridge::test
