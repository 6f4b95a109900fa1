#include "adapters/redis/script.h"

#include <openssl/evp.h>

#include <array>
#include <utility>

#include "adapters/redis/errors.h"
#include "services/base/encoding.h"
#include "services/base/status_macros.h"

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

}  // namespace

Script::Script(std::initializer_list<std::string_view> pieces) {
  for (std::string_view piece : pieces) {
    text_ += piece;
    text_ += '\n';
  }
  sha1_ = Sha1Hex(text_);
}

Async<Reply> Script::Run(CommandExecutor& executor, Command arguments, BootTime deadline) const {
  Command command = {"EVALSHA", sha1_, "0"};
  command.reserve(command.size() + arguments.size());
  for (std::string& argument : arguments) command.push_back(std::move(argument));
  absl::StatusOr<Reply> reply = co_await executor.Execute(command, deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  if (reply->type == Reply::Type::kError && reply->text.starts_with("NOSCRIPT")) {
    command[0] = "EVAL";  // also keeps the script for the next EVALSHA
    command[1] = text_;
    reply = co_await executor.Execute(std::move(command), deadline);
    TB_CO_RETURN_IF_ERROR(reply.status());
  }
  TB_CO_RETURN_IF_ERROR(StatusOf(*reply));
  co_return reply;
}

}  // namespace tollbridge::redis
