#include "adapters/redis/script.h"

#include <openssl/evp.h>

#include <array>
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
  Command command = {"EVALSHA", sha1_, "0"};
  command.script = name_;
  command.reserve(command.size() + arguments.size());
  for (std::string& argument : arguments) command.push_back(std::move(argument));
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
