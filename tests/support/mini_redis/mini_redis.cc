#include "tests/support/mini_redis/mini_redis.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "adapters/redis/errors.h"

namespace tollbridge::test {

using redis::Command;
using redis::Reply;

namespace {

std::size_t Count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

Reply WrongNumber(const std::string& name, bool in_script = false) {
  if (in_script) return Error("ERR Wrong number of args calling Redis command from script");
  return Error(absl::StrCat("ERR wrong number of arguments for '", absl::AsciiStrToLower(name),
                            "' command"));
}

}  // namespace

MiniRedis::MiniRedis() : engine_([this](const Command& command) { return RunInScript(command); }) {}

void MiniRedis::SetTime(std::chrono::microseconds time) {
  time_ = time;
  keys_.set_now(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

void MiniRedis::FailOver(Copy data) {
  keys_ = std::move(data);
  SetTime(time_);
  loaded_.clear();
  ++run_;
  Promote();
}

void MiniRedis::Promote() {
  history_before_ = history_++;
  ++restarts_;
}

void MiniRedis::RenewReplicationId() {
  history_before_ = 0;
  ++history_;
  ++restarts_;
}

void MiniRedis::Reset() {
  keys_ = {};
  SetTime({});
  loaded_.clear();
  out_of_memory_ = false;
  replicas_ = 0;
  run_ = 1;
  history_ = 1;
  history_before_ = 0;
  restarts_ = 0;
}

void MiniRedis::PatchScript(std::string_view piece, std::string_view old,
                            std::string_view replacement) {
  ASSERT_TRUE(loaded_.empty()) << "patches come before scripts";
  // One piece may have several.
  auto patch = std::ranges::find(patches_, piece, &Patch::piece);
  if (patch == patches_.end()) {
    patch = patches_.insert(patch, {std::string(piece), std::string(piece)});
  }
  ASSERT_EQ(Count(patch->patched, old), 1U) << "a patch must fit exactly once: " << old;
  patch->patched.replace(patch->patched.find(old), old.size(), replacement);
}

std::string MiniRedis::Patched(std::string text) const {
  for (const Patch& patch : patches_) {
    const std::size_t at = text.find(patch.piece);
    if (at != std::string::npos) text.replace(at, patch.piece.size(), patch.patched);
  }
  return text;
}

Reply MiniRedis::Run(const Command& command) {
  if (command.empty()) return Error("ERR empty command");
  const std::string name = Capitals(command[0]);
  if (name == "EVAL" || name == "EVALSHA") return Eval(command, name == "EVALSHA");
  if (name == "SCRIPT") return ScriptCommand(command);
  if (name == "WAIT") {
    return command.size() == 3 ? Integer(replicas_) : WrongNumber("wait");
  }
  return RunData(name, command, false);
}

Reply MiniRedis::RunData(const std::string& name, const Command& command, bool in_script) {
  if (name == "TIME") return Time();
  if (name == "INFO") return Info();
  if (name == "PUBLISH") return Publish(command, in_script);
  const auto at = DataCommands().find(name);
  if (at == DataCommands().end()) {
    ADD_FAILURE() << "the Redis in memory has no command " << name;
    return Error(absl::StrCat("ERR unknown command '", command[0], "'"));
  }
  const CommandSpec& spec = at->second;
  if (command.size() - 1 < spec.least || command.size() - 1 > spec.most) {
    return WrongNumber(name, in_script);
  }
  // A script that has written may go on: half of it done would be worse.
  const bool full = in_script ? script_full_ && !script_wrote_ : out_of_memory_;
  if (spec.denied_when_full && full) {
    return Error("OOM command not allowed when used memory > 'maxmemory'.");
  }
  script_wrote_ = script_wrote_ || spec.writes;
  try {
    return spec.run(keys_, std::span(command).subspan(1));
  } catch (CommandError& error) {
    return Error(std::move(error.text));
  }
}

Reply MiniRedis::Publish(const Command& command, bool in_script) {
  if (command.size() != 3) return WrongNumber("publish", in_script);
  if (on_publish_) on_publish_(command[1], command[2]);
  return Integer(0);
}

Reply MiniRedis::RunInScript(const Command& command) {
  const std::string name = Capitals(command[0]);
  if (name == "EVAL" || name == "EVALSHA" || name == "SCRIPT" || name == "WAIT") {
    return Error("ERR This Redis command is not allowed from script");
  }
  return RunData(name, command, true);
}

Reply MiniRedis::Load(const std::string& text) {
  auto at = compiled_.find(text);
  if (at == compiled_.end()) {
    std::variant<int, Reply> compiled = engine_.Compile(Patched(text));
    if (Reply* error = std::get_if<Reply>(&compiled)) return std::move(*error);
    at = compiled_.emplace(text, Compiled{ScriptEngine::Sha1Hex(text), std::get<int>(compiled)})
             .first;
  }
  loaded_[at->second.sha] = at->second.script;
  return Text(at->second.sha);
}

Reply MiniRedis::Eval(const Command& command, bool by_sha) {
  if (command.size() < 3) return WrongNumber(by_sha ? "evalsha" : "eval");
  std::string sha = command[1];
  if (!by_sha) {
    Reply loaded = Load(command[1]);
    if (loaded.type == Reply::Type::kError) return loaded;
    sha = std::move(loaded.text);
  }
  const auto at = loaded_.find(sha);
  if (at == loaded_.end()) return Error("NOSCRIPT No matching script. Please use EVAL.");
  return RunScript(command, at->second);
}

Reply MiniRedis::RunScript(const Command& command, int script) {
  const std::optional<std::int64_t> keys = redis::ParseInteger(command[2]);
  if (!keys) return Error("ERR value is not an integer or out of range");
  if (*keys < 0) return Error("ERR Number of keys can't be negative");
  const std::span<const std::string> arguments = std::span(command).subspan(3);
  const auto count = static_cast<std::size_t>(*keys);
  if (count > arguments.size()) {
    return Error("ERR Number of keys can't be greater than number of args");
  }
  script_full_ = out_of_memory_;
  script_wrote_ = false;
  return engine_.Run(script, arguments.first(count), arguments.subspan(count));
}

Reply MiniRedis::ScriptCommand(const Command& command) {
  const std::string what = command.size() < 2 ? std::string() : Capitals(command[1]);
  if (what == "LOAD" && command.size() == 3) return Load(command[2]);
  if (what == "FLUSH") {
    loaded_.clear();
    return Ok();
  }
  if (what == "EXISTS" && command.size() > 2) {
    std::vector<Reply> known;
    for (const std::string& sha : std::span(command).subspan(2)) {
      known.push_back(Integer(loaded_.contains(sha) ? 1 : 0));
    }
    return Array(std::move(known));
  }
  ADD_FAILURE() << "the Redis in memory has no command SCRIPT " << what;
  return Error("ERR unknown subcommand");
}

Reply MiniRedis::Time() const {
  constexpr std::int64_t kMicrosPerSecond = 1'000'000;
  return Array({Text(absl::StrCat(time_.count() / kMicrosPerSecond)),
                Text(absl::StrCat(time_.count() % kMicrosPerSecond))});
}

Reply MiniRedis::Info() const {
  return Text(
      absl::StrFormat("# Server\r\nredis_version:7.0.15\r\nrun_id:%040x\r\n"
                      "# Replication\r\nmaster_replid:%040x\r\nmaster_replid2:%040x\r\n"
                      "# Cluster\r\ncluster_enabled:0\r\n",
                      run_, history_, history_before_));
}

Async<Reply> MiniConnection::Execute(Command command, BootTime /*deadline*/) {
  const Fate fate = !ready_ ? Fate::kNotDone : fate_ ? fate_(command) : Fate::kAnswered;
  if (fate == Fate::kNotDone) co_return redis::StoreUnavailable("the Redis is not reached");
  ++commands_sent_;
  Reply reply = server_.Run(command);
  if (fate == Fate::kReplyLost) co_return redis::StoreUnavailable("the reply of Redis was lost");
  co_return reply;
}

Async<std::vector<Reply>> MiniConnection::ExecuteTogether(std::vector<Command> commands,
                                                          BootTime /*deadline*/) {
  const Fate fate = !ready_ ? Fate::kNotDone : fate_ ? fate_(commands.at(0)) : Fate::kAnswered;
  if (fate == Fate::kNotDone) co_return redis::StoreUnavailable("the Redis is not reached");
  ++commands_sent_;
  std::vector<Reply> replies;
  for (const Command& command : commands) replies.push_back(server_.Run(command));
  if (fate == Fate::kReplyLost) co_return redis::StoreUnavailable("the reply of Redis was lost");
  co_return replies;
}

}  // namespace tollbridge::test
