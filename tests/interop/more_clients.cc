#include "tests/interop/clients.h"

namespace tollbridge::interop {
namespace {

const std::string kNode = TOLLBRIDGE_SOURCE_DIR "/tests/interop/clients/interop_client.js";
const std::string kProto =
    TOLLBRIDGE_SOURCE_DIR "/tests/support/proto/grpc/testing/test_service.proto";

/// On Netty, or on OkHttp, which is Android's.
Client Java(const std::string& name, const std::string& jars, bool okhttp) {
  return {.name = name,
          .command =
              [=](const std::string& test_case, const Target& target) {
                return std::vector<std::string>{
                    "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", jars + "/*",
                    "io.grpc.testing.integration.TestServiceClient", "--server_host=127.0.0.1",
                    "--server_port=" + std::to_string(target.port),
                    // It trusts no other authority than gRPC's own of tests.
                    "--use_tls=false", "--use_okhttp=" + std::string(okhttp ? "true" : "false"),
                    "--test_case=" + (test_case == kCompressedIsRefused
                                          ? "client_compressed_unary_noprobe"
                                          : test_case)};
              },
          .cases = CommonCasesAnd({{kCompressedIsRefused}}),
          .says_when_refused = "UNIMPLEMENTED: compressed requests are not taken"};
}

Client Node(const std::string& modules) {
  return {.name = "Node",
          .command =
              [=](const std::string& test_case, const Target& target) {
                std::vector<std::string> command = {
                    "env",     "NODE_PATH=" + modules, "node", kNode,
                    test_case, target.address(),       kProto};
                if (!target.ca_file.empty()) command.push_back(target.ca_file);
                return command;
              },
          .cases =
              CommonCasesAnd({{kCompressedIsRefused}, {"large_unary", true}, {"ping_pong", true}})};
}

}  // namespace

std::vector<Client> Clients() {
  std::vector<Client> clients;
  const std::string jars = FromEnvironment("TOLLBRIDGE_INTEROP_JAVA");
  if (!jars.empty()) {
    clients.push_back(Java("Java", jars, false));
    clients.push_back(Java("JavaOkHttp", jars, true));
  }
  const std::string modules = FromEnvironment("TOLLBRIDGE_INTEROP_NODE");
  if (!modules.empty()) clients.push_back(Node(modules));
  return clients;
}

std::vector<const char*> NeededVariables() { return {"TOLLBRIDGE_INTEROP_JAVA"}; }

std::vector<const char*> KnownVariables() { return {"TOLLBRIDGE_INTEROP_NODE"}; }

}  // namespace tollbridge::interop
