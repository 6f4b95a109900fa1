#include "tests/contract/mini_redis/comparison.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tests/support/async_test.h"

namespace tollbridge::test {

using redis::Command;
using redis::Reply;

namespace {

BootTime Soon() { return BootClock::now() + std::chrono::seconds(10); }

bool ByText(const Reply& a, const Reply& b) { return Show(a) < Show(b); }

}  // namespace

std::string Show(const Reply& reply) {
  switch (reply.type) {
    case Reply::Type::kNil:
      return "nil";
    case Reply::Type::kString:
      return absl::StrCat("\"", absl::CEscape(reply.text), "\"");
    case Reply::Type::kStatus:
      return absl::StrCat("+", reply.text);
    case Reply::Type::kInteger:
      return absl::StrCat(reply.integer);
    case Reply::Type::kError:
      return absl::StrCat("-", reply.text.substr(0, reply.text.find(' ')));
    case Reply::Type::kArray:
      break;
  }
  std::string text = "[";
  for (const Reply& element : reply.elements) absl::StrAppend(&text, Show(element), " ");
  return text + "]";
}

std::string Show(const Command& command) {
  std::string text;
  for (const std::string& part : command) absl::StrAppend(&text, absl::CEscape(part), " ");
  return text;
}

ComparisonTest::ComparisonTest() {
  redis::ConnectionOptions options;
  options.host = "127.0.0.1";
  options.port = server_.port();
  options.command_timeout = std::chrono::seconds(10);
  connection_ = std::make_unique<redis::Connection>(context_.get_executor(), options, metrics_);
  connection_->Start();
  const absl::Status ready = Await(context_, connection_->WaitReady(Soon()));
  EXPECT_TRUE(ready.ok()) << ready;
  // The clock of the one in memory starts where the server's is.
  mini_.SetTime(std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::seconds(AskServer({"TIME"}).elements.at(0).AsInteger().value_or(0))));
}

Reply ComparisonTest::AskServer(const Command& command) {
  absl::StatusOr<Reply> reply = Await(context_, connection_->Execute(command, Soon()));
  EXPECT_TRUE(reply.ok()) << reply.status();
  return reply.ok() ? *std::move(reply) : Reply();
}

Reply ComparisonTest::Same(const Command& command) {
  Reply expected = AskServer(command);
  const Reply seen = mini_.Run(command);
  EXPECT_EQ(Show(seen), Show(expected))
      << Show(command) << "\nserver: " << expected.text << "\nin memory: " << seen.text;
  return expected;
}

void ComparisonTest::SameText(const Command& command) {
  const Reply expected = AskServer(command);
  const Reply seen = mini_.Run(command);
  EXPECT_EQ(Show(seen), Show(expected)) << Show(command);
  EXPECT_EQ(seen.text, expected.text) << Show(command);
}

void ComparisonTest::SameInAnyOrder(const Command& command) {
  Reply expected = AskServer(command);
  Reply seen = mini_.Run(command);
  std::ranges::sort(expected.elements, ByText);
  std::ranges::sort(seen.elements, ByText);
  EXPECT_EQ(Show(seen), Show(expected)) << Show(command);
}

Reply ComparisonTest::SameScript(const std::string& text, Command arguments) {
  Command command = {"EVAL", text, "0"};
  for (std::string& argument : arguments) command.push_back(std::move(argument));
  return Same(command);
}

}  // namespace tollbridge::test
