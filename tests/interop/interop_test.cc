// The interoperability cases of gRPC for calls that answer once and that stream, by gRPC's client.

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "grpc/testing/test_service.pb.h"
#include "tests/interop/duplex_call.h"
#include "tests/interop/server/test_server.h"
#include "tests/support/grpc_client.h"

namespace tollbridge::interop {
namespace {

using grpc::testing::Empty;
using grpc::testing::SimpleRequest;
using grpc::testing::SimpleResponse;
using grpc::testing::StreamingOutputCallRequest;
using grpc::testing::StreamingOutputCallResponse;

constexpr const char* kEmptyCall = "grpc.testing.TestService.EmptyCall";
constexpr const char* kUnaryCall = "grpc.testing.TestService.UnaryCall";
constexpr const char* kStream = "grpc.testing.TestService.StreamingOutputCall";
constexpr const char* kDuplex = "/grpc.testing.TestService/FullDuplexCall";
constexpr std::array<std::int32_t, 4> kRequests = {27182, 8, 1828, 45904};
constexpr std::array<std::int32_t, 4> kResponses = {31415, 9, 2653, 58979};
const std::string kSpecial =
    "\t\ntest with whitespace\r\nand Unicode BMP \xE2\x98\xBA and non-BMP "
    "\xF0\x9F\x98\x88\t\n";

class InteropTest : public ::testing::Test {
 protected:
  static SimpleRequest Large() {
    SimpleRequest request;
    request.set_response_size(314'159);
    request.mutable_payload()->set_body(std::string(271'828, '\0'));
    return request;
  }
  static StreamingOutputCallRequest Ask(std::int32_t response, std::int32_t payload) {
    StreamingOutputCallRequest request;
    request.add_response_parameters()->set_size(response);
    request.mutable_payload()->set_body(std::string(static_cast<std::size_t>(payload), '\0'));
    return request;
  }

  TestServer server_;
  std::unique_ptr<test::GrpcClient> client_ = std::make_unique<test::GrpcClient>(server_.address());
  std::shared_ptr<grpc::Channel> channel_ =
      grpc::CreateChannel(server_.address(), grpc::InsecureChannelCredentials());
};

TEST_F(InteropTest, EmptyUnary) {
  const test::RpcReply reply = client_->Call(kEmptyCall, Empty());
  EXPECT_TRUE(reply.status.ok()) << reply.status.message;
  EXPECT_EQ(reply.bytes, "");
}

TEST_F(InteropTest, LargeUnary) {
  const test::RpcReply reply = client_->Call(kUnaryCall, Large());
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  EXPECT_EQ(reply.As<SimpleResponse>().payload().body(), std::string(314'159, '\0'));
}

TEST_F(InteropTest, ServerStreaming) {
  StreamingOutputCallRequest request;
  for (const std::int32_t size : kResponses) request.add_response_parameters()->set_size(size);
  const auto stream = client_->OpenStream(kStream, request.SerializeAsString());
  for (const std::int32_t size : kResponses) {
    const auto bytes = stream->Read();
    ASSERT_TRUE(bytes.has_value());
    StreamingOutputCallResponse response;
    ASSERT_TRUE(response.ParseFromString(*bytes));
    EXPECT_EQ(response.payload().body().size(), static_cast<std::size_t>(size));
  }
  EXPECT_FALSE(stream->Read().has_value());
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(InteropTest, PingPong) {
  DuplexCall call(channel_);
  call.Start(kDuplex);
  for (std::size_t i = 0; i < kRequests.size(); ++i) {
    ASSERT_TRUE(call.Write(Ask(kResponses[i], kRequests[i])));
    StreamingOutputCallResponse response;
    ASSERT_TRUE(call.Read(&response));
    EXPECT_EQ(response.payload().body().size(), static_cast<std::size_t>(kResponses[i]));
  }
  EXPECT_TRUE(call.WritesDone());
  StreamingOutputCallResponse none;
  EXPECT_FALSE(call.Read(&none));
  EXPECT_TRUE(call.Finish().ok());
}

TEST_F(InteropTest, EmptyStream) {
  DuplexCall call(channel_);
  call.Start(kDuplex);
  EXPECT_TRUE(call.WritesDone());
  StreamingOutputCallResponse none;
  EXPECT_FALSE(call.Read(&none));
  EXPECT_TRUE(call.Finish().ok());
}

TEST_F(InteropTest, StatusCodeAndMessage) {
  SimpleRequest request;
  request.mutable_response_status()->set_code(2);
  request.mutable_response_status()->set_message("test status message");
  const test::RpcReply reply = client_->Call(kUnaryCall, request);
  EXPECT_EQ(reply.status.code, 2);
  EXPECT_EQ(reply.status.message, "test status message");

  DuplexCall call(channel_);
  call.Start(kDuplex);
  StreamingOutputCallRequest asked;
  *asked.mutable_response_status() = request.response_status();
  ASSERT_TRUE(call.Write(asked));
  StreamingOutputCallResponse none;
  EXPECT_FALSE(call.Read(&none));
  const grpc::Status status = call.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(status.error_message(), "test status message");
}

TEST_F(InteropTest, SpecialStatusMessage) {
  SimpleRequest request;
  request.mutable_response_status()->set_code(2);
  request.mutable_response_status()->set_message(kSpecial);
  const test::RpcReply reply = client_->Call(kUnaryCall, request);
  EXPECT_EQ(reply.status.code, 2);
  EXPECT_EQ(reply.status.message, kSpecial);
}

TEST_F(InteropTest, UnimplementedMethod) {
  EXPECT_EQ(client_->Call("grpc.testing.TestService.UnimplementedCall", Empty()).status.code_name(),
            "UNIMPLEMENTED");
}

TEST_F(InteropTest, UnimplementedService) {
  EXPECT_EQ(client_->Call("grpc.testing.UnimplementedService.UnimplementedCall", Empty())
                .status.code_name(),
            "UNIMPLEMENTED");
}

TEST_F(InteropTest, CustomMetadata) {
  const std::string binary("\xab\xab\xab", 3);
  const test::RpcReply reply =
      client_->Call(kUnaryCall, Large(),
                    {.metadata = {{"x-grpc-test-echo-initial", "test_initial_metadata_value"},
                                  {"x-grpc-test-echo-trailing-bin", binary}}});
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  const auto initial = reply.initial_metadata.find("x-grpc-test-echo-initial");
  ASSERT_NE(initial, reply.initial_metadata.end());
  EXPECT_EQ(initial->second, "test_initial_metadata_value");
  const auto trailing = reply.trailing_metadata.find("x-grpc-test-echo-trailing-bin");
  ASSERT_NE(trailing, reply.trailing_metadata.end());
  EXPECT_EQ(trailing->second, binary);

  DuplexCall call(channel_);
  call.context().AddMetadata("x-grpc-test-echo-initial", "test_initial_metadata_value");
  call.context().AddMetadata("x-grpc-test-echo-trailing-bin", binary);
  call.Start(kDuplex);
  ASSERT_TRUE(call.Write(Ask(314'159, 271'828)));
  StreamingOutputCallResponse response;
  ASSERT_TRUE(call.Read(&response));
  EXPECT_TRUE(call.WritesDone());
  EXPECT_FALSE(call.Read(&response));
  EXPECT_TRUE(call.Finish().ok());
  EXPECT_EQ(call.context().GetServerInitialMetadata().count("x-grpc-test-echo-initial"), 1u);
  const auto& trailers = call.context().GetServerTrailingMetadata();
  const auto found = trailers.find("x-grpc-test-echo-trailing-bin");
  ASSERT_NE(found, trailers.end());
  EXPECT_EQ(std::string(found->second.data(), found->second.size()), binary);
}

TEST_F(InteropTest, TimeoutOnSleepingServer) {
  DuplexCall call(channel_);
  call.context().set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(1));
  call.Start(kDuplex);
  call.Write(Ask(8, 27182));
  EXPECT_EQ(call.Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(InteropTest, CancelAfterFirstResponse) {
  DuplexCall call(channel_);
  call.Start(kDuplex);
  ASSERT_TRUE(call.Write(Ask(31415, 27182)));
  StreamingOutputCallResponse response;
  ASSERT_TRUE(call.Read(&response));
  call.context().TryCancel();
  EXPECT_EQ(call.Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(InteropTest, ClientCompressedIsRefusedWell) {
  grpc::ChannelArguments arguments;
  arguments.SetCompressionAlgorithm(GRPC_COMPRESS_GZIP);
  const auto channel =
      grpc::CreateCustomChannel(server_.address(), grpc::InsecureChannelCredentials(), arguments);
  DuplexCall call(channel);
  call.Start(kDuplex);
  call.Write(Ask(8, 271'828));
  EXPECT_EQ(call.Finish().error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(server_.refused(wire::Refusal::kCompressed), 1u);
}

}  // namespace
}  // namespace tollbridge::interop
