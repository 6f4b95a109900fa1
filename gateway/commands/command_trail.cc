#include "gateway/commands/command_trail.h"

#include <absl/strings/str_cat.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>

#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/core/status_macros.h"
#include "base/core/text.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/wiring/own_topics.h"
#include "services/domain/timestamps.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kTimeout{15};
/// A command line may name any number of things.
constexpr std::size_t kLongestWhat = 1'000;
constexpr std::size_t kLongestWho = 512;

std::string UserName() {
  constexpr std::size_t kEntryBytes = 16'384;
  std::array<char, kEntryBytes> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  const uid_t uid = getuid();
  // In a container the user often has no name.
  const int error = getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  return error == 0 && found != nullptr ? std::string(entry.pw_name) : absl::StrCat(uid);
}

std::string HostName() {
  constexpr std::size_t kNameBytes = 256;
  std::array<char, kNameBytes> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "";
}

operations::v1::OperationRecord RecordOf(const CommandTold& told) {
  operations::v1::OperationRecord record;
  operations::v1::PrivilegedAction& action = *record.mutable_privileged();
  action.set_id(system::SystemRng().NewUuid().ToString());
  *action.mutable_time() = domain::ToTimestamp(system::SystemClock().WallNow());
  action.set_who(UserAndHost());
  operations::v1::Command& command = *action.mutable_command();
  command.set_name(told.name);
  for (const std::string& project : told.projects) command.add_projects(project);
  command.set_what(OneLine(told.what, kLongestWhat));
  return record;
}

}  // namespace

absl::Status TellOnTopic(const Config& config, const Secrets& secrets, const CommandTold& told) {
  boost::asio::io_context context(1);
  TB_ASSIGN_OR_RETURN(const std::unique_ptr<ports::OperationLog> log,
                      OpenOperationTopic(config, secrets, context.get_executor()));
  const operations::v1::OperationRecord record = RecordOf(told);
  const ports::Context within{.deadline = BootClock::now() + kTimeout, .trace = {}};
  const absl::Status written = RunToEnd(context, log->Append(record, within));
  if (written.ok()) return written;
  return absl::Status(written.code(),
                      absl::StrCat(told.name, " cannot be told on ", config.kafka.operations_topic,
                                   ": ", written.message()));
}

absl::Status TellFirst(const Config& config, const Secrets& secrets, const CommandTold& told) {
  const absl::Status first = TellOnTopic(config, secrets, told);
  if (first.ok()) return first;
  return absl::Status(first.code(), absl::StrCat(first.message(), "; nothing was changed"));
}

std::string UserAndHost() {
  return OneLine(absl::StrCat(UserName(), "@", HostName()), kLongestWho);
}

}  // namespace tollbridge::gateway
