// grpc.testing.TestService on base/wire, on a free port of loopback or the one that is given. Says
// on standard output where it listens; ends with standard input.

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/core/shard.h"
#include "base/wire/server.h"
#include "tests/interop/test_service.h"

int main(int argc, char** argv) {
  using namespace tollbridge;  // NOLINT(google-build-using-namespace)
  ShardPool shards(1);
  wire::ServerOptions options;
  options.port = argc > 1 ? static_cast<std::uint16_t>(std::atoi(argv[1])) : 0;
  // large_unary sends 271,828 bytes.
  options.limits.max_request_bytes = 1 << 20;
  options.methods = interop::TestService();
  auto server = wire::Server::Start({shards.at(0).executor()}, std::move(options));
  if (!server.ok()) {
    std::cerr << server.status() << "\n";
    return 1;
  }
  shards.Start();
  std::cout << "127.0.0.1:" << (*server)->port() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  shards.Stop();
  return 0;
}
