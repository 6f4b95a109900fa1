#ifndef TOLLBRIDGE_SANDBOX_OPTIONS_H_
#define TOLLBRIDGE_SANDBOX_OPTIONS_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sandbox/core/settings.h"
#include "sandbox/kafka_broker.h"
#include "sandbox/self_signed.h"

namespace tollbridge::sandbox {

/// Where to listen. Port 0: a free one.
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

/// The command line, read and checked, with the files that it names.
struct Options {
  ListenAddress listen{.host = "127.0.0.1", .port = 8080};
  /// Ports of their own for the card vault and for wallet B's token service.
  std::optional<ListenAddress> vault_listen;
  std::optional<ListenAddress> wallet_token_listen;
  bool admin_anywhere = false;
  /// What URLs in answers begin with, without a slash at its end; empty: the bound address.
  std::string public_url;

  /// Those of --config, with the other options put over them.
  Settings settings;
  std::uint64_t seed = 1;
  /// Where the clock stands; nullopt: it runs.
  std::optional<Time> start_time;
  /// The fault plan, not yet checked, and where it stands, for errors: `FILE` or `FILE: faults`.
  std::optional<boost::json::object> faults;
  std::string faults_source;
  /// Orders to seed, of the first project.
  std::size_t orders = 0;

  /// TLS by a given pair, or by one that is made in a folder; neither: plain HTTP.
  std::optional<TlsFiles> tls;
  std::string tls_self_signed_folder;

  bool kafka = false;
  std::vector<Topic> kafka_topics;

  /// To be said on stderr, one line each: allowed, but worth knowing.
  std::vector<std::string> warnings;
};

/// The program ends instead of running.
struct Exit {
  int code = 0;
  /// For stdout when the code is 0 (--help), else for stderr; ends with a line feed.
  std::string text;
};

/// Reads the command line. An error names its option, or the file and the place in it.
std::variant<Options, Exit> ParseOptions(int argc, const char* const* argv);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_OPTIONS_H_
