// Keys of operations that rotate while three gateways serve calls, as docs/guides/operators.md has
// it: nobody notices.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/encoding.h"
#include "tests/e2e/support/payments.h"
#include "tests/e2e/support/repeaters.h"
#include "tests/support/gateway_process.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The content of a key file: `letter` and each of `numbers`, in that order.
std::string KeyFile(char letter, const std::string& numbers) {
  std::string content;
  for (const char number : numbers) {
    content += {letter, number, ' '};
    content += Base64Encode(std::string(31, letter) + number) + "\n";
  }
  return content;
}

/// As the log names them: "f1,f2".
std::string Ids(char letter, const std::string& numbers) {
  std::string ids;
  for (const char number : numbers) {
    if (!ids.empty()) ids += ',';
    ids += {letter, number};
  }
  return ids;
}

/// A gateway in the role rpc with key files of its own.
class Replica {
 public:
  Replica(const Stack& stack, const std::string& name) {
    Write("1");
    std::string config = ReadFile(stack.config_path());
    for (const std::string file : {"fingerprint-keys", "outcome-keys"}) {
      const std::string here = folder_.PathOf(file);
      const std::string there =
          (std::filesystem::path(stack.config_path()).parent_path() / file).string();
      config = Replaced(std::move(config), there, here);
    }
    // Its ingress is the stack's.
    config = Replaced(std::move(config), "bound-address", "''");
    config_path_ = folder_.Write("tollbridge.yaml", config);
    gateway_ =
        std::make_unique<GatewayProcess>(config_path_, Environment{{"TOLLBRIDGE_NAME", name}},
                                         std::nullopt, std::vector<std::string>{"rpc"});
  }

  /// Puts the keys of these numbers into both files, and waits until they are in force.
  void Rotate(const std::string& numbers) {
    Write(numbers);
    const std::string line = R"("fingerprint_keys":")" + Ids('f', numbers) +
                             R"(","outcome_keys":")" + Ids('o', numbers) + '"';
    EXPECT_TRUE(gateway_->process().WaitForLine(line)) << line;
  }

  RpcReply Create(const std::string& key) {
    return gateway_->grpc().Call(kCreateOrder, OrderRequest(key));
  }
  /// The same; when the first call of the key is under way, once more.
  RpcReply CreateAgain(const std::string& key) {
    RpcReply reply;
    Eventually([&] {
      reply = Create(key);
      return reply.status.reason != "OPERATION_IN_PROGRESS";
    });
    return reply;
  }
  const std::string& config_path() const { return config_path_; }
  Process& process() { return gateway_->process(); }

 private:
  void Write(const std::string& numbers) const {
    Replace("fingerprint-keys", KeyFile('f', numbers));
    Replace("outcome-keys", KeyFile('o', numbers));
  }
  void Replace(const std::string& file, const std::string& content) const {
    std::filesystem::rename(folder_.Write("new", content), folder_.PathOf(file));
  }

  TempFolder folder_;
  std::string config_path_;
  std::unique_ptr<GatewayProcess> gateway_;
};

using Replicas = std::vector<std::unique_ptr<Replica>>;

/// Callers side by side: new idempotency keys as far as they are allowed, and those that are known,
/// again and again and at each replica.
class Callers {
 public:
  /// `name` begins their keys.
  Callers(Replicas& replicas, std::string name) : replicas_(replicas), name_(std::move(name)) {}

  /// Waits until so many more keys have their outcome, and twice as many calls repeated one.
  bool AwaitMore(std::size_t count) {
    const std::size_t outcomes = Outcomes().size();
    Allow(count);
    const int repeated = repeated_;
    return Eventually([&] {
      return Outcomes().size() >= outcomes + count &&
             repeated_ >= repeated + 2 * static_cast<int>(count);
    });
  }
  void Stop() { calls_.Stop(); }

  /// What the first call of each key was answered.
  std::map<std::string, std::string> Outcomes() const {
    const std::lock_guard lock(mutex_);
    return outcomes_;
  }
  /// What must not be: a call that failed, an outcome that is not that of the first call.
  std::vector<std::string> Wrong() const {
    const std::lock_guard lock(mutex_);
    return wrong_;
  }

 private:
  /// Whether it went well; the next of its thread begins in any case.
  bool Call(int number) {
    const std::size_t at = static_cast<std::size_t>(number) % replicas_.size();
    const std::string key = Key(static_cast<std::size_t>(number));
    return key.empty() || Note(key, at, replicas_[at]->CreateAgain(key));
  }
  void Allow(std::size_t count) {
    const std::lock_guard lock(mutex_);
    allowed_ += count;
  }
  std::string Key(std::size_t number) {
    const std::lock_guard lock(mutex_);
    if (number % 4 == 0 && allowed_ > 0) {
      --allowed_;
      return name_ + "-" + std::to_string(number);
    }
    return known_.empty() ? "" : known_[number * 7919 % known_.size()];
  }
  bool Note(const std::string& key, std::size_t at, const RpcReply& reply) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = outcomes_.try_emplace(key, reply.bytes);
    if (is_new) {
      known_.push_back(key);
    } else {
      ++repeated_;
    }
    if (reply.status.ok() && !reply.bytes.empty() && reply.bytes == known->second) return true;
    wrong_.push_back(key + " at " + std::to_string(at) + ": " + reply.status.code_name() + " " +
                     reply.status.reason);
    return false;
  }

  Replicas& replicas_;
  const std::string name_;
  std::atomic<int> next_ = 0;
  std::atomic<int> repeated_ = 0;
  mutable std::mutex mutex_;
  std::size_t allowed_ = 0;
  std::map<std::string, std::string> outcomes_;
  std::vector<std::string> known_;
  std::vector<std::string> wrong_;
  /// Behind all that they use.
  Repeaters calls_{[this] { return Call(next_++); }, static_cast<int>(replicas_.size())};
};

class KeyRotationTest : public testing::Test {
 protected:
  KeyRotationTest() {
    // The one that the stack starts has all roles, and keys that nobody rotates.
    stack_.gateway().Signal(SIGTERM);
    EXPECT_TRUE(stack_.gateway().WaitForExit().has_value());
    for (const std::string name : {"a", "b", "c"}) {
      replicas_.push_back(std::make_unique<Replica>(stack_, name));
    }
  }
  ~KeyRotationTest() override {
    if (!HasFailure()) return;
    for (const auto& replica : replicas_) {
      std::cerr << "a replica's log:\n" << replica->process().standard_output() << "\n";
    }
  }

  /// `keys report` with a replica's files, by key id, and its exit code.
  struct Report {
    std::map<std::string, std::int64_t> open;
    std::map<std::string, std::int64_t> closed;
    std::map<std::string, bool> known;
    int code = -1;
  };
  Report ReportOf(const Replica& replica) const {
    const Finished finished =
        stack_.Tollbridge({"keys", "report", "--json", "--config", replica.config_path()});
    Report report;
    report.code = finished.code;
    if (finished.output.empty()) {
      ADD_FAILURE() << finished.error;
      return report;
    }
    const boost::json::value shown = boost::json::parse(finished.output);
    for (const auto& key : shown.at("keys").as_array()) {
      const std::string id(key.at("id").as_string());
      report.open[id] = key.at("open").as_int64();
      report.closed[id] = key.at("closed").as_int64();
      report.known[id] = key.at("known").as_bool();
    }
    return report;
  }

  /// What keeping them for redis.outcomes_kept, and their keys for redis.keys_kept, comes to in the
  /// end, for closed records under the first keys.
  void ForgetWhatNamesTheFirstKeys() const {
    stack_.RedisCommand(
        {"EVAL",
         "for _, key in ipairs(redis.call('KEYS', 'tb:*:o:*')) do "
         "local record = cmsgpack.unpack(redis.call('GET', key)) "
         "if record.k == 'f1' or string.find(record.z or '', 'o1', 1, true) == 4 then "
         "redis.call('DEL', key) end end",
         "0"});
  }

  Stack stack_;
  Replicas replicas_;
};

TEST_F(KeyRotationTest, BothFilesRotateUnderLoadAndNobodyNotices) {
  constexpr std::size_t kKeysAStep = 15;
  Callers callers(replicas_, "first");
  ASSERT_TRUE(callers.AwaitMore(kKeysAStep));
  // Known everywhere before anybody writes with it.
  for (const std::string numbers : {"12", "21"}) {
    for (const auto& replica : replicas_) {
      replica->Rotate(numbers);
      ASSERT_TRUE(callers.AwaitMore(kKeysAStep));
    }
  }
  callers.Stop();
  EXPECT_THAT(callers.Wrong(), IsEmpty());

  // Each key has its outcome at each replica, under whichever keys it was made.
  const std::map<std::string, std::string> outcomes = callers.Outcomes();
  for (const auto& [key, outcome] : outcomes) {
    for (const auto& replica : replicas_) {
      const RpcReply reply = replica->Create(key);
      ASSERT_TRUE(reply.status.ok()) << key << ": " << reply.status.reason;
      EXPECT_EQ(reply.bytes, outcome) << key;
    }
  }
  EXPECT_EQ(stack_.SandboxOrders().size(), outcomes.size()) << "no key ran twice";

  const Report rotated = ReportOf(*replicas_.front());
  EXPECT_EQ(rotated.code, 0);
  for (const char letter : {'f', 'o'}) {
    const std::string first{letter, '1'};
    const std::string second{letter, '2'};
    EXPECT_GT(rotated.closed.at(first), 0);
    EXPECT_GT(rotated.closed.at(second), 0);
    EXPECT_EQ(rotated.open.at(first) + rotated.open.at(second), 0);
    EXPECT_EQ(rotated.closed.at(first) + rotated.closed.at(second),
              static_cast<std::int64_t>(outcomes.size()));
  }

  // When no record names them any more, the first keys can go.
  ForgetWhatNamesTheFirstKeys();
  ASSERT_TRUE(Eventually([&] {
    const Report report = ReportOf(*replicas_.front());
    return report.closed.at("f1") == 0 && report.closed.at("o1") == 0;
  }));
  Callers later(replicas_, "later");
  ASSERT_TRUE(later.AwaitMore(kKeysAStep));
  for (const auto& replica : replicas_) {
    replica->Rotate("2");
    ASSERT_TRUE(later.AwaitMore(kKeysAStep));
  }
  later.Stop();
  EXPECT_THAT(later.Wrong(), IsEmpty());
  for (const auto& [key, outcome] : outcomes) {
    EXPECT_TRUE(replicas_.back()->Create(key).status.ok()) << key;
  }
  const Report removed = ReportOf(*replicas_.front());
  EXPECT_EQ(removed.code, 0);
  EXPECT_FALSE(removed.known.contains("f1"));
  EXPECT_FALSE(removed.known.contains("o1"));
  for (const auto& replica : replicas_) {
    EXPECT_THAT(replica->process().standard_output(),
                AllOf(Not(HasSubstr("secret_key_unknown")), Not(HasSubstr("outcome_unreadable")),
                      Not(HasSubstr("operation_keys_refused"))));
  }
}

TEST_F(KeyRotationTest, AKeyThatIsPromotedTooEarlyIsMissedAndTheSameKeyHelpsLater) {
  Replica& early = *replicas_[0];
  Replica& late = *replicas_[1];
  early.Rotate("21");
  const RpcReply first = early.Create("early");
  ASSERT_TRUE(first.status.ok()) << first.status.message;

  const RpcReply missed = late.Create("early");
  EXPECT_EQ(missed.status.code_name(), "UNAVAILABLE");
  EXPECT_EQ(missed.status.reason, "SECRET_KEY_UNKNOWN");
  const Report report = ReportOf(late);
  EXPECT_EQ(report.code, 1);
  EXPECT_FALSE(report.known.at("f2"));
  EXPECT_EQ(report.closed.at("o2"), 1);
  const Finished shown = stack_.Tollbridge({"keys", "report", "--config", late.config_path()});
  EXPECT_EQ(shown.code, 1);
  EXPECT_THAT(shown.output, HasSubstr("unknown here"));

  late.Rotate("12");
  EXPECT_EQ(late.Create("early").bytes, first.bytes);
  EXPECT_EQ(ReportOf(late).code, 0);
  EXPECT_EQ(stack_.SandboxOrders().size(), 1U);
}

TEST_F(KeyRotationTest, TheReportSaysWhenTheStoreIsAway) {
  stack_.redis().Stop();
  const Finished asked =
      stack_.Tollbridge({"keys", "report", "--config", replicas_.front()->config_path()});
  EXPECT_EQ(asked.code, 2);
  EXPECT_THAT(asked.output, IsEmpty());
}

}  // namespace
}  // namespace tollbridge::test
