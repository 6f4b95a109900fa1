#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/key_usage.h"
#include "adapters/redis/known_orders.h"
#include "adapters/redis/operation_outbox.h"
#include "adapters/redis/operation_registry.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/order_changes.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/server_check.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/redis/sweep_state.h"
#include "adapters/redis/unresolved_operations.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "tests/integration/redis/redis_client.h"
#include "tests/support/operation_records.h"
#include "tests/support/read_file.h"
#include "tests/support/test_keyspace.h"
#include "tollbridge/operations/v1/operations.pb.h"

// The users that docs/guides/redis.md tells operators to make, as the page has them.
namespace tollbridge::redis {
namespace {

using test::RedisServer;
using test::TestCertificates;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kPassword = "as-in-the-guide";
const std::filesystem::path kSources = TOLLBRIDGE_SOURCE_DIR;

/// The line of the guide that begins so, with the test's password in it.
std::string LineOfTheGuide(std::string_view begin, std::string_view guide = "redis.md",
                           std::string_view placeholder = ">CHANGE-ME") {
  std::istringstream page(test::ReadFile(kSources / "docs/guides" / guide));
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(begin)) continue;
    line.replace(line.find(placeholder), placeholder.size(), ">" + std::string(kPassword));
    return line;
  }
  throw std::runtime_error("the guide has no line " + std::string(begin));
}

/// The line as arguments of redis-server: "--user", "tollbridge", "on", ...
std::vector<std::string> UserArguments() {
  std::istringstream words(LineOfTheGuide("user tollbridge "));
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  arguments.front() = "--user";
  return arguments;
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Words of a file that stand where names of commands stand.
void CollectNames(const std::filesystem::path& file, const std::regex& where,
                  std::set<std::string>* names) {
  const std::string text = test::ReadFile(file);
  for (std::sregex_iterator at(text.begin(), text.end(), where), end; at != end; ++at) {
    names->insert(Lower((*at)[1]));
  }
}

class AclTest : public RedisClientTest {
 protected:
  ConnectionOptions AsUser() const {
    ConnectionOptions options = To(server_);
    options.tls = ClientTls(certificates_);
    options.user = "tollbridge";
    options.password = kPassword;
    return options;
  }
  ConnectionOptions AsAnyone() const {
    ConnectionOptions options = To(server_);
    options.tls = ClientTls(certificates_);
    return options;
  }

  const TestCertificates certificates_{"IP:127.0.0.1"};
  RedisServer server_ = RedisServer::WithTls(certificates_, UserArguments());
};

TEST_F(AclTest, TheUserMayDoWhatTollbridgeDoes) {
  ConnectionOptions options = AsUser();
  options.database = 1;
  const std::unique_ptr<Connection> connection = Connected(options);
  const auto warnings = Run(CheckServer(*connection, {.min_replicas = 0}, Soon()));
  ASSERT_TRUE(warnings.ok()) << warnings.status();
  for (const std::string& warning : *warnings) EXPECT_THAT(warning, Not(HasSubstr("refused")));

  const std::string script =
      "redis.call('HSET', 'tb:epoch', 'at', redis.call('TIME')[1]) "
      "return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')";
  const std::vector<Command> claim = {{"EVAL", script, "0"}, {"WAIT", "1", "1"}};
  const auto replies = Run(connection->ExecuteTogether(claim, Soon()));
  ASSERT_TRUE(replies.ok()) << replies.status();
  EXPECT_EQ(replies->at(0).text.size(), 40U) << replies->at(0).text;
  EXPECT_EQ(replies->at(1).type, Reply::Type::kInteger) << replies->at(1).text;
}

TEST_F(AclTest, TheUserMayRunTheStores) {
  const std::unique_ptr<Connection> connection = Connected(AsUser());
  system::SystemClock clock;
  system::SystemRng rng;
  ScriptRunner scripts(*connection, test::TestKeyspace(), {}, clock, rng);
  RedisOperationStore store(scripts, scripts);
  const ports::Context context{.deadline = Soon()};
  ASSERT_TRUE(*Run(store.InitializeEpoch(rng.NewUuid(), context)));

  const ports::OperationIdentity identity{
      .id = rng.NewUuid(),
      .rpc = "tollbridge.payments.v1.Payments/CaptureTransaction",
      .project = "shop",
      .fingerprints = {{.key_id = "k1", .digest = "digest"}},
      .gate_order = "order"};
  const auto claim = Run(store.Claim({.identity = identity,
                                      .owner = "owner",
                                      .lease = std::chrono::seconds(60),
                                      .good_for = std::chrono::seconds(5),
                                      .first_step = {.name = "capture", .order_id = "order"}},
                                     context));
  ASSERT_TRUE(claim.ok()) << claim.status();
  ASSERT_EQ(claim->verdict, ports::ClaimVerdict::kClaimed);
  const auto finished = Run(store.Finish({.identity = identity,
                                          .attempt = claim->attempt,
                                          .epoch = claim->epoch,
                                          .owner = "owner",
                                          .step = {.name = "capture", .order_id = "order"},
                                          .to = operations::v1::OPERATION_STATE_UNKNOWN,
                                          .reason = "no answer"},
                                         context));
  ASSERT_TRUE(finished.ok()) << finished.status();
  EXPECT_EQ(*finished, ports::FinishVerdict::kRecorded);

  RedisUnresolvedOperations unresolved(scripts);
  const auto due =
      Run(unresolved.TakeDue("shop", 10, "resolver", std::chrono::seconds(60), context));
  EXPECT_TRUE(due.ok()) << due.status();
  EXPECT_TRUE(Run(unresolved.PullDue("shop", context)).ok());
  EXPECT_TRUE(Run(unresolved.Survey("shop", context)).ok());
  RedisOperationRegistry registry(scripts);
  EXPECT_TRUE(Run(registry.Read("shop", identity.id, context)).ok());
  RedisOperationOutbox outbox(scripts, "drainer");
  const auto undrained = Run(outbox.Take("shop", 10, std::chrono::seconds(60), context));
  ASSERT_TRUE(undrained.ok()) << undrained.status();
  EXPECT_EQ(undrained->size(), 2U);
  EXPECT_TRUE(Run(outbox.Drained("shop", *undrained, context)).ok());
  ASSERT_TRUE(Run(registry.Close({.project = "shop",
                                  .id = identity.id,
                                  .to = operations::v1::OPERATION_STATE_NOT_EXECUTED},
                                 context))
                  .ok());
  const auto closing = Run(outbox.Take("shop", 10, std::chrono::seconds(60), context));
  ASSERT_TRUE(closing.ok()) << closing.status();
  EXPECT_TRUE(Run(outbox.Drained("shop", *closing, context)).ok());
  scripts.SetTimeOffset(std::chrono::hours(100));
  EXPECT_EQ(Run(outbox.Retire("shop", 10, context)).value_or(0), 1U);
  scripts.SetTimeOffset(std::chrono::hours(1'000));
  EXPECT_EQ(Run(outbox.Retire("shop", 10, context)).value_or(0), 1U);
}

class FamilyAclTest : public AclTest {
 protected:
  /// Saves a family that is not there yet.
  absl::StatusOr<ports::SaveVerdict> SaveFirst(Connection& connection,
                                               const ports::FamilyKey& key) {
    ScriptRunner scripts(connection, test::TestKeyspace(), {}, clock_, rng_);
    RedisSnapshotStore snapshots(scripts);
    const auto state = Run(snapshots.Load(key, {.deadline = Soon()}));
    if (!state.ok()) return state.status();
    ports::SaveRequest request{.key = key, .retention = std::chrono::hours(1)};
    request.snapshot.set_epoch(state->epoch);
    return Run(snapshots.Save(request, {.deadline = Soon()}));
  }

  system::SystemClock clock_;
  system::SystemRng rng_;
};

TEST_F(FamilyAclTest, TheUserMayTellOfChangesAndListenToThem) {
  const std::unique_ptr<Connection> connection = Connected(AsUser());
  RedisOrderChanges changes(context_.get_executor(), AsUser(), test::TestKeyspace(), metrics_);
  changes.Start();
  ASSERT_TRUE(Comes([&] { return changes.ready(); }));

  const ports::FamilyKey key{.project = "shop", .root = Uuid::V4({1})};
  int heard = 0;
  const auto watch = changes.Watch(
      key, [&](ports::ChangeHint hint) { heard += hint == ports::ChangeHint::kChanged; });
  ASSERT_EQ(*SaveFirst(*connection, key), ports::SaveVerdict::kSaved);
  EXPECT_TRUE(Comes([&] { return heard == 1; }));
}

TEST_F(AclTest, TheUserMaySweepAndLookAtOrders) {
  const std::unique_ptr<Connection> connection = Connected(AsUser());
  system::SystemClock clock;
  system::SystemRng rng;
  ScriptRunner scripts(*connection, test::TestKeyspace(), {}, clock, rng);
  RedisSweepState sweep(scripts);
  RedisKnownOrders known(*connection, test::TestKeyspace());
  const ports::Context context{.deadline = Soon()};
  const auto taken = Run(sweep.Take("shop", "token", std::chrono::seconds(60), context));
  ASSERT_TRUE(taken.ok()) << taken.status();
  ASSERT_TRUE(*taken);
  const auto saved = Run(sweep.Save("shop", "token", ports::Millis(0), **taken, context));
  EXPECT_TRUE(saved.value_or(false)) << saved.status();
  EXPECT_TRUE(Run(sweep.Load("shop", context)).ok());
  const std::vector<Uuid> orders = {Uuid::V4({1})};
  const auto looked = Run(known.LookAt("shop", orders, context));
  EXPECT_TRUE(looked.ok()) << looked.status();
}

TEST_F(AclTest, TheUserMayCountTheKeysOfRecords) {
  const std::unique_ptr<Connection> connection = Connected(AsUser());
  const OutcomeHead head{.bytes = 1, .key_id = [](std::string_view) { return std::nullopt; }};
  std::string key = RecordPattern(test::ShopKeys());
  std::ranges::replace(key, '?', 'x');
  Ask(*connection, test::SetField(key, "s", "D"));
  Ask(*connection, test::SetField(key, "k", "f1"));
  Ask(*connection, {"HSET", test::ShopKeys() + "t:1", "id", "D\nf2\n"});
  const auto usage =
      Run(AddKeyUsage(*connection, test::ShopKeys(), head, std::chrono::seconds(10), KeyUsage{}));
  ASSERT_TRUE(usage.ok()) << usage.status();
  EXPECT_EQ(usage->fingerprints.at("f1").closed, 1);
  EXPECT_EQ(usage->fingerprints.at("f2").tombstones, 1);
}

TEST_F(FamilyAclTest, ASaveSucceedsForAUserWhoMayNotTellOfIt) {
  const RedisServer server(
      {"--user", "quiet", "on", ">secret", "resetchannels", "~*", "+@all", "-publish"});
  ConnectionOptions options = To(server);
  options.user = "quiet";
  options.password = "secret";
  const std::unique_ptr<Connection> connection = Connected(options);
  const ports::FamilyKey key{.project = "shop", .root = Uuid::V4({1})};
  EXPECT_EQ(*SaveFirst(*connection, key), ports::SaveVerdict::kSaved);
}

TEST_F(AclTest, TheUserMayDoNothingElse) {
  const std::unique_ptr<Connection> connection = Connected(AsUser());
  for (const Command& command : std::vector<Command>{{"GET", "other:k"},
                                                     {"SET", "other:k", "v"},
                                                     {"EVAL", "return redis.call('GET', 'k')", "0"},
                                                     {"KEYS", "*"},
                                                     {"PUBLISH", "other:changes", "message"},
                                                     {"SUBSCRIBE", "other:changes"},
                                                     {"FLUSHALL"},
                                                     {"CONFIG", "SET", "appendonly", "no"},
                                                     {"ACL", "LIST"},
                                                     {"SCRIPT", "FLUSH"},
                                                     {"REPLICAOF", "NO", "ONE"},
                                                     {"SHUTDOWN"}}) {
    const Reply reply = Ask(*connection, command);
    EXPECT_EQ(reply.type, Reply::Type::kError) << command[0];
    // Redis 8 says of a script what Redis 7 calls "can't access".
    EXPECT_THAT(reply.text, testing::AnyOf(HasSubstr("NOPERM"), HasSubstr("can't access"),
                                           HasSubstr("No permissions")))
        << command[0];
  }
}

TEST_F(AclTest, TheGuideAllowsTheCommandsThatTheSourcesUseAndNoMore) {
  std::set<std::string> used;
  std::set<std::string> literals;
  for (const auto& entry : std::filesystem::directory_iterator(kSources / "adapters/redis")) {
    if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
    CollectNames(entry.path(), std::regex("\\{\\s*\"([A-Z]+)\""), &used);
    CollectNames(entry.path(), std::regex("\"([A-Z]+)\""), &literals);
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(kSources / "adapters/redis/scripts")) {
    CollectNames(entry.path(), std::regex("redis\\.p?call\\('([A-Z]+)'"), &used);
    CollectNames(entry.path(), std::regex("redis\\.p?call\\('([A-Z]+)'"), &literals);
  }
  std::set<std::string> allowed;
  for (const std::string& word : UserArguments()) {
    if (word.starts_with('+')) allowed.insert(word.substr(1, word.find('|') - 1));
  }

  const std::unique_ptr<Connection> anyone = Connected(AsAnyone());
  for (const std::string& name : used) {
    if (name == "auth") continue;  // needs no permission
    const Reply known = Ask(*anyone, {"COMMAND", "INFO", name});
    const bool is_command = !known.elements.at(0).elements.empty();
    EXPECT_TRUE(!is_command || allowed.contains(name)) << "the guide misses +" << name;
  }
  for (const std::string& name : allowed) {
    EXPECT_TRUE(literals.contains(name)) << "the guide allows +" << name << ", which nobody uses";
  }
}

TEST(GuideTest, TheUserOfTheProductionGuideIsThatOfTheRedisGuide) {
  EXPECT_EQ(LineOfTheGuide("user tollbridge ", "production.md", ">$password"),
            LineOfTheGuide("user tollbridge "));
}

TEST_F(AclTest, AWrongPasswordIsToldWithoutThePassword) {
  ConnectionOptions options = AsUser();
  options.password = "not-the-one";
  EXPECT_THAT(WhyRefused(options), AllOf(HasSubstr(server_.address()), HasSubstr("WRONGPASS"),
                                         Not(HasSubstr("not-the-one"))));
}

TEST_F(AclTest, AUserWhoMayNotAskForTheRoleIsToldSo) {
  const std::unique_ptr<Connection> anyone = Connected(AsAnyone());
  ASSERT_EQ(Ask(*anyone, {"ACL", "SETUSER", "tollbridge", "-role"}).text, "OK");
  EXPECT_THAT(WhyRefused(AsUser()), AllOf(HasSubstr("NOPERM"), HasSubstr("'role'")));
}

TEST_F(RedisClientTest, TheSentinelUserOfTheGuideFindsThePrimary) {
  const RedisServer primary;
  std::vector<std::string> configuration = test::Watch("payments", primary);
  configuration.push_back(LineOfTheGuide("user tollbridge-sentinel "));
  configuration.emplace_back("user default off");
  const RedisServer sentinel = RedisServer::Sentinel(configuration);
  ConnectionOptions options = QuickOptions();
  options.sentinel = {.sentinels = {EndpointOf(sentinel)},
                      .master = "payments",
                      .user = "tollbridge-sentinel",
                      .password = std::string(kPassword)};
  const std::unique_ptr<Connection> connection = Connected(options);
  EXPECT_EQ(PortOf(*connection), std::to_string(primary.port()));

  const Credentials user = {.user = "tollbridge-sentinel", .password = std::string(kPassword)};
  EXPECT_THAT(Tell(sentinel, {"SENTINEL", "failover", "payments"}, user).status().ToString(),
              HasSubstr("NOPERM"));
}

}  // namespace
}  // namespace tollbridge::redis
