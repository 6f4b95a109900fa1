// grpc.testing.TestService on base/wire, on a free port of loopback or the one that is given, and
// with TLS if a certificate and its key are: [PORT [CERTIFICATE KEY]]. Says on standard output
// where it listens; ends with standard input.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "tests/interop/server/test_server.h"

int main(int argc, char** argv) {
  using namespace tollbridge;  // NOLINT(google-build-using-namespace)
  interop::TestServerOptions options;
  if (argc > 1) options.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  if (argc > 3) {
    options.certificate_file = argv[2];
    options.key_file = argv[3];
  }
  try {
    const interop::TestServer server(options);
    std::cout << server.address() << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
