#ifndef TOLLBRIDGE_TESTS_INTEROP_CLIENTS_H_
#define TOLLBRIDGE_TESTS_INTEROP_CLIENTS_H_

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace tollbridge::interop {

/// The name of a case as gRPC's description has it, and whether it is for a connection with TLS.
struct Case {
  std::string name;
  bool tls = false;
};

/// Where the server is.
struct Target {
  std::uint16_t port = 0;
  /// The authority of its certificate; empty without TLS.
  std::string ca_file = {};

  std::string address() const { return "127.0.0.1:" + std::to_string(port); }
};

/// A client of another language, as a program that runs one case.
struct Client {
  std::string name;
  std::function<std::vector<std::string>(const std::string& test_case, const Target&)> command;
  std::vector<Case> cases;
  /// The case that sends compressed requests: it fails as the client's own program has it, and says
  /// this then. Empty where the program itself knows that it is to be refused.
  std::string says_when_refused = {};
};

/// What is run for a case that sends compressed requests and is to be refused.
inline constexpr const char* kCompressedIsRefused = "client_compressed_is_refused";

/// The cases that every client has.
inline std::vector<Case> CommonCases() {
  return {{"empty_unary"},
          {"large_unary"},
          {"client_streaming"},
          {"server_streaming"},
          {"ping_pong"},
          {"empty_stream"},
          {"status_code_and_message"},
          {"special_status_message"},
          {"unimplemented_method"},
          {"unimplemented_service"},
          {"custom_metadata"},
          {"timeout_on_sleeping_server"},
          {"cancel_after_begin"},
          {"cancel_after_first_response"}};
}

inline std::vector<Case> CommonCasesAnd(const std::vector<Case>& further) {
  std::vector<Case> cases = CommonCases();
  cases.insert(cases.end(), further.begin(), further.end());
  return cases;
}

/// The value of a variable that ./dev test sets; empty when it is not there.
inline std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Those of this test program that the machine can run.
std::vector<Client> Clients();
/// The variables without which there would be none, and those that may be empty for want of a tool.
std::vector<const char*> NeededVariables();
std::vector<const char*> KnownVariables();

}  // namespace tollbridge::interop

#endif  // TOLLBRIDGE_TESTS_INTEROP_CLIENTS_H_
