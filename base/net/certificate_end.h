#ifndef TOLLBRIDGE_BASE_NET_CERTIFICATE_END_H_
#define TOLLBRIDGE_BASE_NET_CERTIFICATE_END_H_

#include <chrono>
#include <optional>
#include <string>

namespace tollbridge::net {

/// When the first of the certificates in a PEM file ends to be valid; nullopt for a file without a
/// certificate that can be read. Reads the file.
std::optional<std::chrono::system_clock::time_point> FirstCertificateEnd(const std::string& file);

/// When the last of them ends. Reads the file.
std::optional<std::chrono::system_clock::time_point> LastCertificateEnd(const std::string& file);

/// Whether the key in a PEM file is that of the first certificate in the other. An encrypted one is
/// none. Reads both.
bool IsKeyOf(const std::string& key_file, const std::string& certificate_file);

}  // namespace tollbridge::net

#endif  // TOLLBRIDGE_BASE_NET_CERTIFICATE_END_H_
