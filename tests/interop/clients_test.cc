// The interoperability cases of gRPC by its clients in other languages, each case a process.

#include "tests/interop/clients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/interop/server/test_server.h"
#include "tests/support/process.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::interop {
namespace {

using testing::HasSubstr;

struct Run {
  Client client;
  Case test_case;

  std::string name() const {
    return client.name + "_" + test_case.name + (test_case.tls ? "_over_tls" : "");
  }
};

void PrintTo(const Run& run, std::ostream* out) { *out << run.name(); }

std::vector<Run> Runs() {
  std::vector<Run> runs;
  for (const Client& client : Clients()) {
    for (const Case& test_case : client.cases) runs.push_back({client, test_case});
  }
  return runs;
}

class ClientsTest : public testing::TestWithParam<Run> {
 protected:
  static void SetUpTestSuite() { servers_ = std::make_unique<Servers>(); }
  static void TearDownTestSuite() { servers_.reset(); }

  static TestServer& server(bool tls) { return tls ? servers_->tls : servers_->plain; }
  static Target TargetOf(bool tls) {
    return {.port = server(tls).port(), .ca_file = tls ? servers_->certificates.ca_file() : ""};
  }

 private:
  struct Servers {
    test::TestCertificates certificates{"DNS:localhost,IP:127.0.0.1"};
    TestServer plain;
    TestServer tls{
        {.certificate_file = certificates.certificate_file(), .key_file = certificates.key_file()}};
  };
  static inline std::unique_ptr<Servers> servers_;
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ClientsTest);

TEST_P(ClientsTest, Passes) {
  const auto& [client, test_case] = GetParam();
  const bool is_refused = test_case.name == kCompressedIsRefused;
  const std::uint64_t before = server(test_case.tls).refused(wire::Refusal::kCompressed);
  const test::Finished finished =
      test::Run(client.command(test_case.name, TargetOf(test_case.tls)));
  const std::string said = finished.output + finished.error;
  if (is_refused && !client.says_when_refused.empty()) {
    EXPECT_NE(finished.code, 0) << said;
    EXPECT_THAT(said, HasSubstr(client.says_when_refused));
  } else {
    EXPECT_EQ(finished.code, 0) << said;
  }
  EXPECT_EQ(server(test_case.tls).refused(wire::Refusal::kCompressed) > before, is_refused);
}

INSTANTIATE_TEST_SUITE_P(Interop, ClientsTest, testing::ValuesIn(Runs()),
                         [](const auto& run) { return run.param.name(); });

TEST(InteropClientsTest, ThePartsAreThere) {
  for (const char* name : NeededVariables()) {
    EXPECT_NE(FromEnvironment(name), "") << name << ": ./dev test sets it";
  }
  for (const char* name : KnownVariables()) {
    EXPECT_NE(std::getenv(name), nullptr)
        << name << ": ./dev test sets it, to nothing where the tool is missing";
  }
}

}  // namespace
}  // namespace tollbridge::interop
