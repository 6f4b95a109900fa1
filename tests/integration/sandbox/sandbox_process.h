#ifndef TOLLBRIDGE_TESTS_INTEGRATION_SANDBOX_SANDBOX_PROCESS_H_
#define TOLLBRIDGE_TESTS_INTEGRATION_SANDBOX_SANDBOX_PROCESS_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message.h"
#include "tests/support/process.h"

namespace tollbridge::test {

/// The sandbox's program on a free port.
class SandboxProcess {
 public:
  /// `arguments` beside --listen. Throws std::runtime_error when it does not start.
  explicit SandboxProcess(std::vector<std::string> arguments = {});

  /// The line that it printed.
  const boost::json::object& addresses() const { return addresses_; }
  /// Of the address that it listens on.
  const std::string& url() const { return url_; }
  std::string host() const;
  std::uint16_t port() const;
  Process& process() { return process_; }

  /// `key` empty: without authentication.
  http::Response Ask(const std::string& method, std::string_view path, const std::string& body = "",
                     std::string_view key = "sandbox-demo-key") const;
  /// An admin call that must succeed; its answer's body.
  std::string Operate(std::string_view call, const std::string& body = "") const;
  /// GET of an admin list.
  std::string Look(std::string_view call) const;

 private:
  Process process_;
  boost::json::object addresses_;
  std::string url_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_INTEGRATION_SANDBOX_SANDBOX_PROCESS_H_
