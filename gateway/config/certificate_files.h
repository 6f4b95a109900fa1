#ifndef TOLLBRIDGE_GATEWAY_CONFIG_CERTIFICATE_FILES_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_CERTIFICATE_FILES_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gateway/config/config.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// A file with certificates of this process, under the name of its setting.
struct CertificateFile {
  std::string use;
  std::string file;
  /// Of its key; empty: whether that fits is not known.
  std::string key_file = {};
  /// It holds authorities that are trusted, and no certificate that is shown.
  bool authorities = false;
};

/// Those that the configured roles use. The system's authorities are none of them.
std::vector<CertificateFile> CertificateFiles(const Config& config, const Secrets& secrets);

/// When the first certificate in it ends, or the last authority: one that has ended may stand
/// beside the one that took its place. nullopt when the file cannot be used, as one whose key does
/// not fit.
std::optional<std::chrono::system_clock::time_point> CertificateEnd(const CertificateFile& file);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_CERTIFICATE_FILES_H_
