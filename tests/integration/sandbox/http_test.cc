// What HTTP/1.1 says, on real sockets against the real program.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/core/encoding.h"
#include "tests/integration/sandbox/sandbox_process.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A socket on which a test writes what it likes.
class RawConnection {
 public:
  explicit RawConnection(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("the sandbox cannot be reached");
    }
  }
  ~RawConnection() { close(fd_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  /// What the peer does not take, because it has closed, is dropped.
  void Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (written <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  /// Everything up to the peer's end of the connection, or to `text` where that comes first.
  std::string ReadUntil(std::string_view text = "\xff never") {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::string received;
    while (received.find(text) == std::string::npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
      if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) {
        ADD_FAILURE() << "neither an end nor the text came; so far: " << received;
        return received;
      }
      char buffer[4096];
      const ssize_t count = recv(fd_, buffer, sizeof buffer, 0);
      if (count <= 0) return received;
      received.append(buffer, static_cast<std::size_t>(count));
    }
    return received;
  }

 private:
  int fd_;
};

class SandboxHttpTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { sandbox_ = new SandboxProcess(); }
  static void TearDownTestSuite() {
    delete sandbox_;
    sandbox_ = nullptr;
  }

  static std::string Head(std::string_view method, std::string_view path,
                          std::string_view more = "") {
    return std::string(method) + " " + std::string(path) +
           " HTTP/1.1\r\nHost: sandbox.test\r\nAuthorization: Basic " +
           Base64Encode("sandbox-demo-key:") + "\r\n" + std::string(more) + "\r\n";
  }
  /// The answers to these bytes, up to the end of the connection.
  static std::string Exchange(std::string_view bytes) {
    RawConnection connection(sandbox_->port());
    connection.Write(bytes);
    return connection.ReadUntil();
  }
  static std::string NewOrderPath() {
    const auto order =
        json::parse(sandbox_->Ask("POST", "/v1/orders/", R"({"currency":"EUR","amount":5})").body);
    return "/v1/orders/" + std::string(order.as_object().at("id").as_string()) + "/";
  }
  static std::size_t Count(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }

  static constexpr std::string_view kLast = "Connection: close\r\n";
  static SandboxProcess* sandbox_;
};

SandboxProcess* SandboxHttpTest::sandbox_ = nullptr;

TEST_F(SandboxHttpTest, PipelinedRequestsAreAnsweredInOrderOnOneConnection) {
  const std::string path = NewOrderPath();
  const std::string answers = Exchange(Head("GET", path) + Head("GET", "/v1/unknown/") +
                                       Head("DELETE", "/v1/orders/") + Head("GET", path, kLast));
  const std::size_t first = answers.find("HTTP/1.1 200");
  const std::size_t second = answers.find("HTTP/1.1 404");
  const std::size_t third = answers.find("HTTP/1.1 405");
  EXPECT_EQ(first, 0U);
  EXPECT_LT(second, third);
  EXPECT_EQ(Count(answers, "HTTP/1.1 "), 4U);
}

TEST_F(SandboxHttpTest, HeadHasTheHeaderOfGetAndNoBody) {
  const std::string path = NewOrderPath();
  const std::string got = Exchange(Head("GET", path, kLast));
  const std::string head = Exchange(Head("HEAD", path, kLast));
  const std::size_t end = got.find("\r\n\r\n") + 4;
  const std::string length = "Content-Length: " + std::to_string(got.size() - end);
  EXPECT_THAT(got, HasSubstr(length));
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(head, HasSubstr(length));
  EXPECT_EQ(head.find("\r\n\r\n") + 4, head.size());
}

TEST_F(SandboxHttpTest, ExpectedContinueComesBeforeTheBodyIsSent) {
  constexpr std::string_view kBody = R"({"currency":"EUR","amount":5})";
  RawConnection connection(sandbox_->port());
  connection.Write(Head("POST", "/v1/orders/",
                        "Expect: 100-continue\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(kBody.size()) + "\r\n"));
  EXPECT_THAT(connection.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  connection.Write(kBody);
  EXPECT_THAT(connection.ReadUntil(), StartsWith("HTTP/1.1 201"));
}

TEST_F(SandboxHttpTest, ChunkedBodiesAreTaken) {
  const std::string answer =
      Exchange(Head("POST", "/v1/orders/", "Transfer-Encoding: chunked\r\nConnection: close\r\n") +
               "a\r\n{\"currency\r\n13\r\n\":\"EUR\",\"amount\":5}\r\n0\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 201"));
}

TEST_F(SandboxHttpTest, PathsWithoutTheirLastSlashAreNotRedirected) {
  std::string path = NewOrderPath();
  path.pop_back();
  EXPECT_THAT(Exchange(Head("GET", path, kLast)), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(sandbox_->Ask("POST", "/v1/orders", R"({"currency":"EUR","amount":5})").status, 201);
}

TEST_F(SandboxHttpTest, WhatIsNoRequestEndsInAnErrorObjectAndAClosedConnection) {
  for (const std::string_view bytes :
       {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST /v1/orders/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    const std::string answer = Exchange(bytes);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400")) << bytes;
    EXPECT_THAT(answer, HasSubstr(R"("type":"ValidationError")")) << bytes;
  }
}

TEST_F(SandboxHttpTest, TooLargeBodiesAndHeadersAreRefusedUnread) {
  const std::string body = Exchange(Head("POST", "/v1/orders/", "Content-Length: 999999999\r\n"));
  EXPECT_THAT(body, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(body, HasSubstr(R"("error":)"));
  const std::string header =
      Exchange(Head("GET", "/", "X-Long: " + std::string(100'000, 'x') + "\r\n"));
  EXPECT_THAT(header, StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(header, HasSubstr(R"("error":)"));
}

TEST_F(SandboxHttpTest, DeepJsonIsRefused) {
  const std::string deep = std::string(5'000, '[') + std::string(5'000, ']');
  EXPECT_EQ(sandbox_->Ask("POST", "/v1/orders/", deep).status, 400);
}

TEST_F(SandboxHttpTest, ReportComesInChunksOrAsHttp10Wants) {
  NewOrderPath();
  const std::string body = R"({"query":"*"})";
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  const std::string answer =
      Exchange(Head("POST", "/v1/search/orders/?format=csv", length + std::string(kLast)) + body);
  EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(answer, HasSubstr("text/csv"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n0\r\n\r\n"));
}

TEST_F(SandboxHttpTest, SandboxLivesOnAfterAllThat) {
  EXPECT_FALSE(sandbox_->process().WaitForExit(std::chrono::milliseconds(0)));
  EXPECT_THAT(sandbox_->Look("ledger"), Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace tollbridge::test
