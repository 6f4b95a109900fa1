#include "tests/chaos/driver/sentinels.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tests/support/process.h"

namespace tollbridge::chaos {
namespace {

constexpr const char* kName = "chaos";
constexpr int kSentinels = 3;
/// A replica that has just been promoted answers its first claims.
constexpr Millis kHealLimit{60'000};

/// As the guide for operators wants them: a primary without a replica takes no writes.
std::vector<std::string> ServerArguments() {
  return {
      "--appendonly",           "yes", "--appendfsync", "everysec", "--min-replicas-to-write", "1",
      "--min-replicas-max-lag", "10"};
}

std::vector<std::string> Configuration(const test::RedisServer& primary) {
  const std::string name(kName);
  return {"sentinel monitor " + name + " 127.0.0.1 " + std::to_string(primary.port()) + " 2",
          "sentinel down-after-milliseconds " + name + " 1000",
          "sentinel failover-timeout " + name + " 4000"};
}

}  // namespace

Sentinels::Sentinels() {
  servers_[0] = std::make_unique<test::RedisServer>(ServerArguments());
  for (std::size_t i = 1; i < kServers; ++i) {
    std::vector<std::string> arguments = ServerArguments();
    const std::vector<std::string> of = test::ReplicaOf(*servers_[0]);
    arguments.insert(arguments.end(), of.begin(), of.end());
    servers_[i] = std::make_unique<test::RedisServer>(std::move(arguments));
  }
  for (int i = 0; i < kSentinels; ++i) {
    sentinels_.emplace_back(
        new test::RedisServer(test::RedisServer::Sentinel(Configuration(*servers_[0]))));
  }
  if (!Heal()) throw std::runtime_error("the Sentinels did not find two replicas");
}

void Sentinels::PutInto(test::StackSettings* settings) const {
  std::string list;
  for (const auto& sentinel : sentinels_) {
    list += (list.empty() ? "\"" : ", \"") + sentinel->address() + "\"";
  }
  auto& redis = (*settings)["redis"];
  redis["address"] = "127.0.0.1:6379";  // the default: not used with Sentinels
  redis["sentinels"] = "[" + list + "]";
  redis["sentinel_master"] = kName;
  redis["min_replicas"] = kMinReplicas;
}

std::string Sentinels::Ask(const test::RedisServer& server,
                           std::vector<std::string> command) const {
  const std::vector<std::string> client{"timeout", "2", "redis-cli", "-p",
                                        std::to_string(server.port())};
  command.insert(command.begin(), client.begin(), client.end());
  return test::Run(std::move(command)).output;
}

std::size_t Sentinels::Primary() const {
  for (const auto& sentinel : sentinels_) {
    const std::string answer = Ask(*sentinel, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", kName});
    for (std::size_t i = 0; i < kServers; ++i) {
      if (answer.find("\n" + std::to_string(servers_[i]->port()) + "\n") != std::string::npos) {
        return i;
      }
    }
  }
  throw std::runtime_error("no Sentinel names a primary");
}

std::function<void()> Sentinels::KillPrimary() {
  test::RedisServer* primary = servers_[Primary()].get();
  primary->Stop();
  return [primary] { primary->Restart(); };
}

std::function<void()> Sentinels::StopPrimary() {
  test::RedisServer* primary = servers_[Primary()].get();
  primary->Pause();
  return [primary] { primary->Resume(); };
}

std::function<void()> Sentinels::KillReplica() {
  test::RedisServer* replica = servers_[(Primary() + 1) % kServers].get();
  replica->Stop();
  return [replica] { replica->Restart(); };
}

std::function<void()> Sentinels::FailOver() {
  Ask(*sentinels_.front(), {"SENTINEL", "FAILOVER", kName});
  return [] {};
}

bool Sentinels::Heal() {
  return test::Eventually(
      [this] {
        const std::string info = Ask(*servers_[Primary()], {"INFO", "replication"});
        const std::string status = Ask(*sentinels_.front(), {"SENTINEL", "CKQUORUM", kName});
        const std::string replicas = Ask(*sentinels_.front(), {"SENTINEL", "REPLICAS", kName});
        const auto times = [](const std::string& text, const std::string& part) {
          int count = 0;
          for (std::size_t at = text.find(part); at != std::string::npos;
               at = text.find(part, at + 1)) {
            ++count;
          }
          return count;
        };
        return info.find("role:master") != std::string::npos &&
               times(info, "state=online") == static_cast<int>(kServers) - 1 &&
               status.rfind("OK 3", 0) == 0 &&
               times(replicas, "\nmaster-link-status\nok\n") == static_cast<int>(kServers) - 1;
      },
      kHealLimit);
}

}  // namespace tollbridge::chaos
