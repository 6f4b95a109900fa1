// What two projects leave in the store: each key belongs to one of them, and can be moved with it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/uuid.h"
#include "tests/e2e/support/payments.h"
#include "tests/e2e/tenant.h"

namespace tollbridge::test {
namespace {

using testing::IsEmpty;

/// Keys of the store itself.
const std::set<std::string> kOfTheStore = {"tb:epoch"};

/// Answers a line for each key: the key, then its fields, members and values, as hexadecimal digits
/// with spaces between.
constexpr const char* kDump = R"(
local function hex(value)
  return (string.gsub(value, '.', function(c) return string.format('%02x', string.byte(c)) end))
end
local read = {
  string = function(key) return {redis.call('GET', key)} end,
  hash = function(key) return redis.call('HGETALL', key) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1) end,
  set = function(key) return redis.call('SMEMBERS', key) end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  stream = function(key)
    local values = {}
    for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
      for _, value in ipairs(entry[2]) do values[#values + 1] = value end
    end
    return values
  end,
}
local lines, cursor = {}, '0'
repeat
  local part = redis.call('SCAN', cursor, 'COUNT', 1000)
  cursor = part[1]
  for _, key in ipairs(part[2]) do
    local line = {hex(key)}
    for _, value in ipairs(read[redis.call('TYPE', key).ok](key)) do line[#line + 1] = hex(value) end
    lines[#lines + 1] = table.concat(line, ' ')
  end
until cursor == '0'
return lines
)";

std::string FromHex(std::string_view digits) {
  std::string raw;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    raw.push_back(static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16)));
  }
  return raw;
}

/// By key, all that it holds, with a line end between.
using Store = std::map<std::string, std::string>;

Store ReadStore(const Stack& stack) {
  Store store;
  std::istringstream lines(stack.RedisCommand({"EVAL", kDump, "0"}));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    std::string& content = store[FromHex(word)];
    while (words >> word) content += FromHex(word) + "\n";
  }
  return store;
}

/// The part of a key that says where a Redis Cluster keeps it; the whole key where it has none.
std::string HashTag(const std::string& key) {
  const std::size_t open = key.find('{');
  if (open == std::string::npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == std::string::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

/// For messages: bytes that are no text are left out.
std::string Printable(const std::string& key) { return testing::PrintToString(key.substr(0, 120)); }

std::string PrefixOf(const Tenant& tenant) { return "tb:{" + tenant.project_id() + "}:"; }

/// Kinds of keys behind the prefix of the project: "o", "g", "operations", ...
std::set<std::string> KindsOf(const Store& store, const Tenant& tenant) {
  std::set<std::string> kinds;
  for (const auto& [key, content] : store) {
    if (!key.starts_with(PrefixOf(tenant))) continue;
    const std::string rest = key.substr(PrefixOf(tenant).size());
    kinds.insert(rest.substr(0, rest.find(':')));
  }
  return kinds;
}

/// Whether there is one of the ids, as text or as bytes.
bool Holds(const std::string& text, const std::set<std::string>& ids) {
  return std::ranges::any_of(ids, [&](const std::string& id) {
    return text.find(id) != std::string::npos ||
           text.find(Uuid::Parse(id)->ToBytes()) != std::string::npos;
  });
}

/// Two tenants have called every RPC, and `shop` has named all that `demo` has. One stack for all
/// tests of this suite.
class TenancyKeyTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    tenants_ = std::make_unique<TwoTenants>();
    demo().CallEveryRpc();
    shop().CallEveryRpc();
    for (const Exchange& theirs : demo().exchanges()) {
      const std::string key = TextOf(*theirs.request, "idempotency_key");
      const std::string named = IsMutation(*theirs.method) ? "named-" + key : key;
      shop().Send(named.empty() ? *theirs.request
                                : *With(*theirs.request, {{"idempotency_key", named}}));
    }
    AwaitReaders();
    store_ = ReadStore(tenants_->stack);
  }
  static void TearDownTestSuite() { tenants_.reset(); }

  static Tenant& demo() { return tenants_->demo; }
  static Tenant& shop() { return tenants_->shop; }
  static const Store& store() { return store_; }
  static std::string PubSubChannels() {
    return tenants_->stack.RedisCommand({"PUBSUB", "CHANNELS"});
  }
  static bool IsOf(const std::string& key, const Tenant& tenant) {
    return key.starts_with(PrefixOf(tenant));
  }

 private:
  /// The reader has been at the orders of both, and keeps what it has seen.
  static void AwaitReaders() {
    const auto events = tenants_->stack.OpenTopic("events");
    for (Tenant* const tenant : {&demo(), &shop()}) {
      const auto order =
          tenant->Must<payments::v1::CreateOrderResponse>(OrderRequest("read-last")).order();
      PayOnHostedPage(tenants_->stack, order);
      EXPECT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
    }
  }

  static inline std::unique_ptr<TwoTenants> tenants_;
  static inline Store store_;
};

TEST_F(TenancyKeyTest, EachKeyIsOfOneProjectOrOfTheStore) {
  ASSERT_GT(store().size(), 100U);
  std::set<std::string> others;
  for (const auto& [key, content] : store()) {
    if (kOfTheStore.contains(key) || IsOf(key, demo()) || IsOf(key, shop())) continue;
    // One of a kind is enough to read.
    others.insert(key.substr(0, key.find(':', 3)));
  }
  EXPECT_THAT(others, IsEmpty());
}

TEST_F(TenancyKeyTest, BothProjectsHaveKeysOfTheSameKinds) {
  // Others are there for a while only.
  for (const Tenant* const tenant : {&demo(), &shop()}) {
    EXPECT_THAT(KindsOf(store(), *tenant), testing::IsSupersetOf({"o", "i", "f", "due"}));
  }
}

TEST_F(TenancyKeyTest, AllKeysOfAProjectLieInOneSlot) {
  std::set<std::string> tags;
  for (const auto& [key, content] : store()) {
    if (!kOfTheStore.contains(key)) tags.insert(HashTag(key));
  }
  EXPECT_EQ(tags.size(), 2U) << testing::PrintToString(tags).substr(0, 400);
  EXPECT_TRUE(tags.contains(demo().project_id()));
  EXPECT_TRUE(tags.contains(shop().project_id()));
}

TEST_F(TenancyKeyTest, NoKeyOfOneProjectHoldsWhatIsTheOthers) {
  std::set<std::string> operations_of_demo;
  for (const Exchange& exchange : demo().exchanges()) {
    const std::string key = TextOf(*exchange.request, "idempotency_key");
    if (!key.empty()) operations_of_demo.insert(demo().OperationId(key));
  }
  std::size_t looked_at = 0;
  for (const auto& [key, content] : store()) {
    const std::string all = key + "\n" + content;
    // What shop has named stands in its keys, but for what nobody has told it.
    if (IsOf(key, shop())) EXPECT_FALSE(Holds(all, operations_of_demo)) << Printable(key);
    if (IsOf(key, demo())) EXPECT_FALSE(Holds(all, shop().OwnIds())) << Printable(key);
    looked_at += IsOf(key, demo()) || IsOf(key, shop()) ? 1 : 0;
  }
  EXPECT_GT(looked_at, 100U);
}

TEST_F(TenancyKeyTest, EachChannelIsOfOneProject) {
  std::istringstream channels(PubSubChannels());
  for (std::string channel; std::getline(channels, channel);) {
    if (channel.empty()) continue;
    EXPECT_TRUE(IsOf(channel, demo()) || IsOf(channel, shop())) << channel;
  }
}

}  // namespace
}  // namespace tollbridge::test
