#include "tests/interop/clients.h"

namespace tollbridge::interop {
namespace {

const std::string kPython = TOLLBRIDGE_SOURCE_DIR "/tests/interop/clients/interop_client.py";

Client Python(const std::string& interpreter, const std::string& stubs) {
  return {.name = "Python",
          .command =
              [=](const std::string& test_case, const Target& target) {
                std::vector<std::string> command = {"env",       "PYTHONPATH=" + stubs,
                                                    interpreter, kPython,
                                                    test_case,   target.address()};
                if (!target.ca_file.empty()) command.push_back(target.ca_file);
                return command;
              },
          .cases =
              CommonCasesAnd({{kCompressedIsRefused}, {"large_unary", true}, {"ping_pong", true}})};
}

Client Go(const std::string& folder) {
  return {
      .name = "Go",
      .command =
          [=](const std::string& test_case, const Target& target) {
            return std::vector<std::string>{
                folder + "/client",
                "--server_host=127.0.0.1",
                "--server_port=" + std::to_string(target.port),
                target.ca_file.empty() ? "--use_tls=false" : "--use_tls=true",
                "--ca_file=" + target.ca_file,
                "--use_test_ca=" + std::string(target.ca_file.empty() ? "false" : "true"),
                "--test_case=" + test_case};
          },
      // It has no case that compresses. ghz, which is the same client, does: rpc_tools_e2e_test.
      .cases = CommonCasesAnd({{"large_unary", true}, {"ping_pong", true}})};
}

}  // namespace

std::vector<Client> Clients() {
  std::vector<Client> clients;
  const std::string stubs = FromEnvironment("TOLLBRIDGE_INTEROP_PYTHON");
  if (!stubs.empty()) clients.push_back(Python(FromEnvironment("TOLLBRIDGE_PYTHON"), stubs));
  const std::string folder = FromEnvironment("TOLLBRIDGE_INTEROP_GO");
  if (!folder.empty()) clients.push_back(Go(folder));
  return clients;
}

std::vector<const char*> NeededVariables() {
  return {"TOLLBRIDGE_PYTHON", "TOLLBRIDGE_INTEROP_PYTHON"};
}

std::vector<const char*> KnownVariables() { return {"TOLLBRIDGE_INTEROP_GO"}; }

}  // namespace tollbridge::interop
