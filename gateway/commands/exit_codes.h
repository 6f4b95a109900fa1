#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_EXIT_CODES_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_EXIT_CODES_H_

/// How commands of the program end. `tollbridge --help` and docs/guides/operators.md list the same.
namespace tollbridge::gateway {

/// What was asked for did not come about, or a check found something.
inline constexpr int kFailed = 1;
/// It was not tried: the command line, the configuration, or a system that cannot be asked.
inline constexpr int kNotTried = 2;
/// The call was sent and its outcome is not known yet: look again with the same idempotency key.
inline constexpr int kPending = 3;

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_EXIT_CODES_H_
