// The tools that people call gRPC servers with, against the product as it is deployed, with TLS and
// without: each of a bounded number of calls is answered OK.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kService = "tollbridge.payments.v1.Payments";
constexpr const char* kHealth = "grpc.health.v1.Health/Check";
/// Reads from the payment service, and is the same each time.
constexpr const char* kMethod = "ListCurrencies";
constexpr std::size_t kCalls = 2'000;
/// For a busy machine.
constexpr std::chrono::seconds kLimit{180};

struct Gateway {
  std::string name;
  bool tls = false;
};

void PrintTo(const Gateway& gateway, std::ostream* out) { *out << gateway.name; }

class RpcToolsTest : public testing::TestWithParam<Gateway> {
 protected:
  static void SetUpTestSuite() { world_ = std::make_unique<World>(); }
  static void TearDownTestSuite() { world_.reset(); }

  static Stack& stack() { return GetParam().tls ? world_->tls : world_->plain; }
  static std::string ca_file() { return world_->certificates.ca_file(); }

  /// The bytes of the method's message, with the prefix.
  static std::size_t AnswerSize() {
    const RpcReply reply =
        world_->plain.grpc().CallBytes(std::string(kService) + "." + kMethod, "");
    EXPECT_TRUE(reply.status.ok()) << reply.status.message;
    EXPECT_NE(reply.bytes, "");
    return reply.bytes.size() + 5;
  }

  TempFolder folder_;

 private:
  struct World {
    static StackSettings WithTls(const TestCertificates& certificates) {
      return {{"rpc",
               {{"tls", "{enabled: true, certificate_file: " + certificates.certificate_file() +
                            ", private_key_file: " + certificates.key_file() + "}"}}}};
    }
    TestCertificates certificates{"IP:127.0.0.1"};
    Stack plain;
    Stack tls{{.settings = WithTls(certificates)}};
  };
  static inline std::unique_ptr<World> world_;
};

/// grpcurl and ghz, where Go is.
class GoToolsTest : public RpcToolsTest {
 protected:
  static std::string PathOf(const std::string& tool) {
    return std::string(std::getenv("TOLLBRIDGE_RPC_TOOLS")) + "/" + tool;
  }

  static Finished Grpcurl(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{PathOf("grpcurl")};
    if (GetParam().tls) {
      command.insert(command.end(), {"-cacert", ca_file()});
    } else {
      command.emplace_back("-plaintext");
    }
    const std::ptrdiff_t options = arguments.size() > 2 ? 2 : 0;
    const auto names = arguments.begin() + options;
    command.insert(command.end(), arguments.begin(), names);
    command.push_back(stack().grpc_address());
    command.insert(command.end(), names, arguments.end());
    return test::Run(command);
  }

  /// How ghz's calls were answered, by status.
  static boost::json::object Ghz(std::size_t calls, const std::vector<std::string>& arguments) {
    std::vector<std::string> command{PathOf("ghz"),
                                     "--call",
                                     std::string(kService) + "." + kMethod,
                                     "--total",
                                     std::to_string(calls),
                                     "--concurrency",
                                     "20",
                                     "--connections",
                                     "4",
                                     "--timeout",
                                     "60s",
                                     "--data",
                                     "{}",
                                     "--format",
                                     "json"};
    if (GetParam().tls) {
      command.push_back("--cacert=" + ca_file());
    } else {
      command.emplace_back("--insecure");
    }
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back(stack().grpc_address());
    const Finished finished = test::Run(command, {}, kLimit);
    EXPECT_EQ(finished.code, 0) << finished.output << finished.error;
    return boost::json::parse(finished.output).at("statusCodeDistribution").as_object();
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoToolsTest);

TEST_P(GoToolsTest, GrpcurlFindsTheMethodsAndCallsThem) {
  const Finished listed = Grpcurl({"list"});
  EXPECT_THAT(listed.output, AllOf(HasSubstr(kService), HasSubstr("grpc.health.v1.Health")))
      << listed.error;
  const Finished described = Grpcurl({"describe", kService});
  EXPECT_THAT(described.output, HasSubstr("rpc " + std::string(kMethod))) << described.error;
  const Finished healthy = Grpcurl({"-d", "{}", kHealth});
  EXPECT_THAT(healthy.output, HasSubstr("SERVING")) << healthy.error;
  for (int i = 0; i < 20; ++i) {
    const Finished called = Grpcurl({"-d", "{}", std::string(kService) + "/" + kMethod});
    ASSERT_EQ(called.code, 0) << called.error;
    EXPECT_THAT(called.output, HasSubstr("EUR"));
  }
}

TEST_P(GoToolsTest, EachCallOfGhzIsAnswered) {
  EXPECT_EQ(Ghz(kCalls, {}), (boost::json::object{{"OK", kCalls}}));
}

TEST_P(GoToolsTest, CompressedCallsOfGhzAreUnimplemented) {
  EXPECT_EQ(Ghz(100, {"--enable-compression"}), (boost::json::object{{"Unimplemented", 100}}));
}

TEST_P(RpcToolsTest, EachCallOfH2loadIsAnswered) {
  // A message of no bytes.
  const std::string body = folder_.Write("body", std::string(5, '\0'));
  const std::string url = (GetParam().tls ? "https://" : "http://") + stack().grpc_address() + "/" +
                          kService + "/" + kMethod;
  const Finished finished =
      test::Run({"h2load", "--requests", std::to_string(kCalls), "--clients", "4",
                 "--max-concurrent-streams", "10", "--header", "content-type: application/grpc",
                 "--header", "te: trailers", "--data", body, url},
                {}, kLimit);
  EXPECT_EQ(finished.code, 0) << finished.error;
  EXPECT_THAT(
      finished.output,
      AllOf(HasSubstr(std::to_string(kCalls) + " succeeded, 0 failed, 0 errored, 0 timeout"),
            HasSubstr("status codes: " + std::to_string(kCalls) + " 2xx")));
  // It does not read grpc-status, but each call that goes wrong is answered without a message.
  EXPECT_THAT(finished.output, HasSubstr("(" + std::to_string(kCalls * AnswerSize()) + ") data"));
}

const std::vector<Gateway> kGateways = {{"plain", false}, {"tls", true}};

std::vector<Gateway> GatewaysForGo() {
  const char* tools = std::getenv("TOLLBRIDGE_RPC_TOOLS");
  return tools == nullptr || *tools == '\0' ? std::vector<Gateway>() : kGateways;
}

std::string NameOf(const testing::TestParamInfo<Gateway>& gateway) { return gateway.param.name; }

INSTANTIATE_TEST_SUITE_P(Gateway, GoToolsTest, testing::ValuesIn(GatewaysForGo()), NameOf);
INSTANTIATE_TEST_SUITE_P(Gateway, RpcToolsTest, testing::ValuesIn(kGateways), NameOf);

TEST(RpcToolsPartsTest, TheVariableIsThere) {
  EXPECT_NE(std::getenv("TOLLBRIDGE_RPC_TOOLS"), nullptr)
      << "./dev test sets it, to nothing where Go is missing";
}

}  // namespace
}  // namespace tollbridge::test
