#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_KEYS_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_KEYS_COMMAND_H_

#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/key_usage.h"
#include "gateway/commands/command.h"
#include "services/operations/settings.h"

namespace tollbridge::gateway {

/// `tollbridge keys report`: how many records name each key of operations, so that a person knows
/// when one may be taken out of its file. Exit codes: 0; 1 when a record names a key that its file
/// does not have; 2 when the store cannot be asked.
void AddKeys(CLI::App& app, Action* action);

/// A key that a file has, or that records name.
struct KeyLine {
  std::string_view use;  ///< fingerprint or outcome
  std::string id;        ///< empty: this version cannot read which key it is
  bool current = false;
  bool known = false;  ///< its file has it
  redis::KeyUse records;
};

/// Those of the rings first, in their order, also where no record names them; then all others.
std::vector<KeyLine> KeyLines(const operations::OperationKeys& keys, const redis::KeyUsage& usage);
std::string KeyTable(const std::vector<KeyLine>& lines);
std::string KeyJson(const std::vector<KeyLine>& lines);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_KEYS_COMMAND_H_
