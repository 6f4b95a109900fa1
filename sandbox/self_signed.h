#ifndef TOLLBRIDGE_SANDBOX_SELF_SIGNED_H_
#define TOLLBRIDGE_SANDBOX_SELF_SIGNED_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <string>
#include <vector>

namespace tollbridge::sandbox {

/// A certificate and its key, PEM files.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

/// A self-signed certificate (EC P-256, 365 days) and its key (mode 0600) as certificate.pem and
/// key.pem in `folder`, which is made where it is not there. For localhost, 127.0.0.1, ::1 and
/// `hosts`, which are names or addresses; addresses that mean "all" are left out. Clients trust it
/// by taking certificate.pem as their CA file.
///
/// A pair that is there is used again when it belongs together, is for all these hosts and is valid
/// for one more day after `now`; else it is replaced. FAILED_PRECONDITION naming the file where one
/// of that name was not made by this, INTERNAL or UNAVAILABLE naming what cannot be written.
absl::StatusOr<TlsFiles> MakeSelfSigned(const std::string& folder,
                                        const std::vector<std::string>& hosts,
                                        std::chrono::system_clock::time_point now);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SELF_SIGNED_H_
