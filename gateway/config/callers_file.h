#ifndef TOLLBRIDGE_GATEWAY_CONFIG_CALLERS_FILE_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_CALLERS_FILE_H_

#include <absl/status/status.h>

#include <optional>
#include <string>
#include <vector>

#include "gateway/config/config.h"
#include "services/rpc/access.h"

namespace tollbridge::gateway {

/// `rpc.callers` and `rpc.local_permissions` as the file of the configuration has them now, so that
/// a caller comes and goes without a restart. All other settings stay as they were at start. Used
/// by one thread.
class CallersFile {
 public:
  struct Callers {
    std::vector<rpc::CallerGrant> named;
    /// As rpc::AccessSettings has them.
    std::vector<std::string> without_certificate;

    bool operator==(const Callers&) const = default;
  };

  /// `config` is what LoadConfig(path, overrides) gave.
  CallersFile(std::string path, Overrides overrides, const Config& config);

  /// Looks at the file; meant to be called each second. Gives the callers when they are others than
  /// before. A file is read when it is found unchanged since the look before, so that none is taken
  /// that is half written; one that is no good configuration leaves the last callers in force, is
  /// `callers_refused` in the log, once for each reason, and is read again and counted with each
  /// look. What is no regular file, as a pipe, is never read again.
  std::optional<Callers> Look();

 private:
  void NoteRefusal(const absl::Status& status);

  std::string path_;
  Overrides overrides_;
  Callers callers_;
  /// Stamp of the last look, and whether that file has been read and was good.
  std::string seen_;
  bool read_ = true;
  /// What was refused last; empty when nothing was.
  std::string refused_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_CALLERS_FILE_H_
