#include "tests/e2e/leak_sinks.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/core/uuid.h"
#include "services/operations/keys.h"
#include "services/operations/outcome.h"
#include "tests/support/http_call.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;

/// As the stack configures it.
constexpr std::string_view kOutcomeKey = "o1 ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=\n";

/// Every key of a database with all that it holds.
constexpr const char* kDump = R"(
  local out = {}
  local function add(values) for _, value in ipairs(values) do out[#out + 1] = value end end
  local cursor = '0'
  repeat
    local page = redis.call('SCAN', cursor, 'COUNT', 1000)
    cursor = page[1]
    for _, key in ipairs(page[2]) do
      out[#out + 1] = key
      local kind = redis.call('TYPE', key).ok
      if kind == 'string' then add({redis.call('GET', key)})
      elseif kind == 'hash' then add(redis.call('HGETALL', key))
      elseif kind == 'list' then add(redis.call('LRANGE', key, 0, -1))
      elseif kind == 'set' then add(redis.call('SMEMBERS', key))
      elseif kind == 'zset' then add(redis.call('ZRANGE', key, 0, -1, 'WITHSCORES'))
      elseif kind == 'stream' then
        for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do add(entry[2]) end
      else return redis.error_reply('a key of type ' .. kind) end
    end
  until cursor == '0'
  return out)";

/// The keys that hold a sealed outcome, in hexadecimal.
constexpr const char* kSealed = R"(
  local out = {}
  for _, key in ipairs(redis.call('KEYS', '*')) do
    local record = string.sub(key, -19, -17) == ':o:' and cmsgpack.unpack(redis.call('GET', key))
    if record and record.z then
      local function hex(text)
        return (text:gsub('.', function(c) return string.format('%02x', string.byte(c)) end))
      end
      out[#out + 1] = hex(key:sub(-16)) .. ' ' .. hex(record.z)
    end
  end
  return out)";

std::string Unhex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string Dashed(const std::string& hex) {
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

void Append(const std::multimap<std::string, std::string>& metadata, std::string& out) {
  for (const auto& [name, value] : metadata) out.append(name).append(": ").append(value) += "\n";
}

}  // namespace

LeakSinks::LeakSinks(Stack& stack, const OtlpReceiver& collector)
    : stack_(stack),
      collector_(collector),
      monitor_({"redis-cli", "-p", std::to_string(stack.redis().port()), "monitor"}) {
  if (!monitor_.WaitForLine("OK")) throw std::runtime_error("redis-cli does not monitor");
  // Or else a value would be in the file and could not be seen there.
  stack_.RedisCommand({"CONFIG", "SET", "rdbcompression", "no"});
}

void LeakSinks::Keep(const RpcStatus& status) {
  errors_.append(status.message).append("\n").append(status.details) += "\n";
}

void LeakSinks::Keep(const RpcReply& reply) {
  Keep(reply.status);
  Append(reply.initial_metadata, errors_);
  Append(reply.trailing_metadata, errors_);
}

void LeakSinks::Keep(const Finished& finished) {
  outputs_.append(finished.output).append(finished.error) += "\n";
}

void LeakSinks::Restart(const Environment& environment) {
  TakeGateway();
  // A process that is to crash may do so before it serves: its resolver reaches the hook as well.
  for (int tries = environment.empty() ? 1 : 5;; --tries) {
    try {
      return stack_.StartGateway(environment);
    } catch (const std::runtime_error&) {
      if (tries == 1) throw;
    }
  }
}

void LeakSinks::TakeGateway() {
  Process& gateway = stack_.gateway();
  if (gateway.WaitForExit(std::chrono::milliseconds(0))) {
    gateway.WaitForOutputEnd();
  } else {
    metrics_ += HttpGet(stack_.metrics_url());
  }
  logs_ += gateway.standard_output() + gateway.standard_error();
}

Sink LeakSinks::RedisValues() const {
  Sink sink{"Redis, keys and values", "", Writing::kBinary};
  std::istringstream databases(stack_.RedisCommand({"INFO", "keyspace"}));
  for (std::string line; std::getline(databases, line);) {
    if (!line.starts_with("db")) continue;
    const std::string number = line.substr(2, line.find(':') - 2);
    sink.content += stack_.RedisCommand({"-n", number, "EVAL", kDump, "0"});
  }
  return sink;
}

Sink LeakSinks::RedisFiles() const {
  stack_.RedisCommand({"SAVE"});
  const std::string answer = stack_.RedisCommand({"CONFIG", "GET", "dir"});
  const std::string folder = answer.substr(4, answer.find('\n', 4) - 4);
  Sink sink{"Redis, files", "", Writing::kBinary};
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    sink.content += entry.path().filename().string() + "\n" +
                    std::string(std::istreambuf_iterator<char>(file), {});
  }
  return sink;
}

Sink LeakSinks::Records(const std::string& topic) const {
  Sink sink{"Kafka, " + topic, "", Writing::kBinary};
  const std::unique_ptr<Topic> records = stack_.OpenTopic(topic);
  for (const TopicRecord& record : records->ReadAll()) {
    sink.content.append(record.key).append("\n").append(record.value) += "\n";
    for (const auto& [name, value] : record.headers) {
      sink.content.append(name).append(": ").append(value) += "\n";
    }
  }
  return sink;
}

std::vector<Sink> LeakSinks::Collect() {
  TakeGateway();
  std::vector<Sink> sinks = {{"logs", logs_},
                             {"metrics", metrics_},
                             {"errors", errors_},
                             {"commands", outputs_},
                             {"traces", collector_.received(), Writing::kBinary},
                             {"Redis, commands", monitor_.standard_output(), Writing::kBinary},
                             RedisValues(),
                             RedisFiles()};
  for (const char* topic : {"events", "hints", "dlq", "operations"}) {
    sinks.push_back(Records(topic));
  }
  return sinks;
}

Sink LeakSinks::OpenedOutcomes() const {
  const auto keys = operations::ParseKeyRing(kOutcomeKey);
  if (!keys.ok()) throw std::runtime_error("the key of outcomes");
  Sink sink{"Redis, opened outcomes", "", Writing::kBinary};
  std::istringstream lines(stack_.RedisCommand({"EVAL", kSealed, "0"}));
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < 34) continue;
    const auto id = Uuid::Parse(Dashed(line.substr(0, 32)));
    const auto outcome = operations::OpenOutcome(Unhex(line.substr(33)), id.value(), *keys);
    if (!outcome.ok()) throw std::runtime_error("an outcome that cannot be opened");
    sink.content += outcome->SerializeAsString() + "\n";
  }
  return sink;
}

}  // namespace tollbridge::test
