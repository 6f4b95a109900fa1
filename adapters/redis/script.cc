#include "adapters/redis/script.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "adapters/redis/errors.h"
#include "base/core/encoding.h"
#include "base/core/status_macros.h"
#include "base/core/test_hook.h"

namespace tollbridge::redis {
namespace {

/// The name that Redis gives a script. Not a matter of security.
std::string Sha1Hex(std::string_view text) {
  std::array<char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &length,
             EVP_sha1(), nullptr);
  return HexEncode({digest.data(), length});
}

bool IsNotLoaded(const Reply& reply) {
  return reply.type == Reply::Type::kError && reply.text.starts_with("NOSCRIPT");
}

}  // namespace

Script::Script(std::initializer_list<LuaText> pieces) {
  for (const LuaText& piece : pieces) {
    name_ = piece.name;
    text_ += piece.text;
    text_ += '\n';
  }
  TB_TEST_PATCH(text_);
  sha1_ = Sha1Hex(text_);
}

Command Script::ByName(Command arguments) const {
  constexpr std::size_t kBefore = 3;
  Command command;
  command.script = name_;
  command.reserve(kBefore + arguments.size());
  command.emplace_back("EVALSHA");
  command.push_back(sha1_);
  command.emplace_back("0");
  std::ranges::move(arguments, std::back_inserter(command));
  return command;
}

void Script::MakeWhole(Command& command) const {
  command[0] = "EVAL";
  command[1] = text_;
}

Async<Reply> Script::Run(CommandExecutor& executor, Command arguments, BootTime deadline) const {
  Command command = ByName(std::move(arguments));
  TB_CO_ASSIGN_OR_RETURN(Reply reply, co_await executor.Execute(command, deadline));
  if (IsNotLoaded(reply)) {
    MakeWhole(command);
    TB_CO_ASSIGN_OR_RETURN(reply, co_await executor.Execute(std::move(command), deadline));
  }
  TB_CO_RETURN_IF_ERROR(StatusOf(reply));
  co_return reply;
}

Async<Script::Followed> Script::RunFollowed(CommandExecutor& executor, Command arguments,
                                            Command after, BootTime deadline) const {
  std::vector<Command> commands = {ByName(std::move(arguments)), std::move(after)};
  TB_CO_ASSIGN_OR_RETURN(std::vector<Reply> replies,
                         co_await executor.ExecuteTogether(commands, deadline));
  if (!replies.empty() && IsNotLoaded(replies.front())) {
    MakeWhole(commands.front());
    TB_CO_ASSIGN_OR_RETURN(replies,
                           co_await executor.ExecuteTogether(std::move(commands), deadline));
  }
  if (replies.size() != 2) co_return UnexpectedReply("two commands");
  TB_CO_RETURN_IF_ERROR(StatusOf(replies.front()));
  co_return Followed{.reply = std::move(replies.front()), .after = std::move(replies.back())};
}

}  // namespace tollbridge::redis
