// A member of a group is told in the protocol's own words that another one has joined: clients
// check what they read, and end when a text or bytes are null that may not be.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/conversion.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sandbox/kafka_broker.h"

namespace tollbridge::sandbox {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr timeval kLimit{.tv_sec = 30, .tv_usec = 0};
constexpr std::int16_t kJoinGroup = 11;
constexpr std::int16_t kSyncGroup = 14;
constexpr std::int16_t kApiVersions = 18;
constexpr std::int16_t kRebalanceInProgress = 27;
constexpr std::int16_t kIllegalGeneration = 22;

/// What Kafka's protocol is made of, in network order.
class Writer {
 public:
  Writer& Int16(std::int16_t value) { return Number(boost::endian::native_to_big(value)); }
  Writer& Int32(std::int32_t value) { return Number(boost::endian::native_to_big(value)); }
  Writer& Text(std::string_view text) {
    Int16(static_cast<std::int16_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  Writer& Bytes(std::string_view bytes) {
    Int32(static_cast<std::int32_t>(bytes.size()));
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  Writer& Number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}
  std::int16_t Int16() { return boost::endian::big_to_native(Number<std::int16_t>()); }
  std::int32_t Int32() { return boost::endian::big_to_native(Number<std::int32_t>()); }
  /// Throws std::runtime_error when it is null.
  std::string Text() { return Taken(Int16()); }
  std::string Bytes() { return Taken(Int32()); }

 private:
  template <typename T>
  T Number() {
    T value{};
    Taken(sizeof(T)).copy(reinterpret_cast<char*>(&value), sizeof(T));
    return value;
  }
  std::string Taken(std::int64_t size) {
    if (size < 0) throw std::runtime_error("null where the protocol knows no null");
    if (static_cast<std::size_t>(size) > bytes_.size() - at_) throw std::runtime_error("too short");
    at_ += static_cast<std::size_t>(size);
    return bytes_.substr(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

struct Joined {
  std::int16_t error = 0;
  std::int32_t generation = 0;
  std::string leader;
  std::string member;
};

struct Synced {
  std::int16_t error = 0;
  std::string assignment;
};

/// A connection that speaks the classic protocol of consumer groups. A request and its answer are
/// two calls, as an answer may wait for other members.
class Member {
 public:
  explicit Member(const std::string& broker) : socket_(io_) {
    const auto port = static_cast<std::uint16_t>(std::stoi(broker.substr(broker.find(':') + 1)));
    socket_.connect({asio::ip::address_v4::loopback(), port});
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof(kLimit));
  }

  /// As the member that it was told to be; first as a new one. `protocols`: how many it says that
  /// it sends of the one that it sends.
  void AskToJoin(std::chrono::milliseconds session = std::chrono::seconds(30),
                 std::int32_t protocols = 1) {
    Send(kJoinGroup, 2,
         Writer()
             .Text("group")
             .Int32(static_cast<std::int32_t>(session.count()))
             .Int32(30'000)
             .Text(joined_.member)
             .Text("consumer")
             .Int32(protocols)
             .Text("range")
             .Bytes("metadata"));
  }
  const Joined& WaitUntilJoined() {
    Reader answer = Receive();
    answer.Int32();  // throttled for
    joined_.error = answer.Int16();
    joined_.generation = answer.Int32();
    answer.Text();  // the protocol
    joined_.leader = answer.Text();
    joined_.member = answer.Text();
    return joined_;
  }
  /// Waits for the broker to close the connection.
  bool WaitUntilClosed() {
    boost::system::error_code error;
    char byte = 0;
    asio::read(socket_, asio::buffer(&byte, 1), error);
    return error == asio::error::eof || error == asio::error::connection_reset;
  }
  bool leads() const { return joined_.leader == joined_.member; }

  /// Returns when the broker has taken what others sent before: it looks at all connections in
  /// turn, and this one may be looked at before theirs, but not twice.
  void GoRound() {
    for (int i = 0; i < 2; ++i) {
      Send(kApiVersions, 0, Writer());
      Receive();
    }
  }

  void AskToSync(std::int32_t generation) {
    Send(kSyncGroup, 1, Writer().Text("group").Int32(generation).Text(joined_.member).Int32(0));
  }
  void AskToSync() { AskToSync(joined_.generation); }
  Synced WaitUntilSynced() {
    Reader answer = Receive();
    answer.Int32();  // throttled for
    const std::int16_t error = answer.Int16();
    return {.error = error, .assignment = answer.Bytes()};
  }

 private:
  void Send(std::int16_t request, std::int16_t version, const Writer& body) {
    const std::string message =
        Writer().Int16(request).Int16(version).Int32(++sent_).Text("test").bytes() + body.bytes();
    asio::write(socket_, asio::buffer(Writer().Bytes(message).bytes()));
  }
  Reader Receive() {
    std::string size(sizeof(std::int32_t), '\0');
    asio::read(socket_, asio::buffer(size));
    std::string answer(static_cast<std::size_t>(Reader(size).Int32()), '\0');
    asio::read(socket_, asio::buffer(answer));
    Reader reader(answer);
    EXPECT_EQ(reader.Int32(), sent_);
    return reader;
  }

  asio::io_context io_;
  tcp::socket socket_;
  Joined joined_;
  std::int32_t sent_ = 0;
};

class KafkaGroupTest : public testing::Test {
 protected:
  /// The other one has asked to join when the first is still to sync.
  void JoinOneAfterTheOther() {
    one_.AskToJoin();
    ASSERT_EQ(one_.WaitUntilJoined().error, 0);
    other_.AskToJoin();  // answered when the first has joined again
    Member(broker_->brokers()).GoRound();
  }

  const std::unique_ptr<KafkaBroker> broker_ = *KafkaBroker::Start({{.name = "events"}});
  Member one_{broker_->brokers()};
  Member other_{broker_->brokers()};
};

TEST_F(KafkaGroupTest, WhoSyncsWhileAnotherOneJoinsIsToldToJoinAgain) {
  ASSERT_NO_FATAL_FAILURE(JoinOneAfterTheOther());
  one_.AskToSync();
  const Synced told = one_.WaitUntilSynced();
  EXPECT_EQ(told.error, kRebalanceInProgress);
  EXPECT_EQ(told.assignment, "");
  one_.AskToJoin();
  const Joined first = one_.WaitUntilJoined();
  const Joined second = other_.WaitUntilJoined();
  EXPECT_EQ(first.generation, second.generation);
  EXPECT_EQ(first.leader, second.leader);
}

TEST_F(KafkaGroupTest, WhoWaitsForTheLeaderIsToldToJoinAgainWhenAThirdJoins) {
  ASSERT_NO_FATAL_FAILURE(JoinOneAfterTheOther());
  one_.AskToSync();
  ASSERT_EQ(one_.WaitUntilSynced().error, kRebalanceInProgress);
  one_.AskToJoin();
  ASSERT_EQ(one_.WaitUntilJoined().error, 0);
  ASSERT_EQ(other_.WaitUntilJoined().error, 0);
  Member& follower = one_.leads() ? other_ : one_;
  follower.AskToSync();
  Member third(broker_->brokers());
  third.AskToJoin();
  const Synced told = follower.WaitUntilSynced();
  EXPECT_EQ(told.error, kRebalanceInProgress);
  EXPECT_EQ(told.assignment, "");
}

TEST_F(KafkaGroupTest, WhoWaitsBehindASilentMemberIsNotForgotten) {
  one_.AskToJoin(std::chrono::seconds(5));
  ASSERT_EQ(one_.WaitUntilJoined().error, 0);
  // Its own session is over long before the first one's.
  other_.AskToJoin(std::chrono::seconds(1));
  EXPECT_EQ(other_.WaitUntilJoined().error, 0);
}

TEST_F(KafkaGroupTest, ARequestThatIsNoneEndsItsConnectionAndNothingElse) {
  for (const std::int32_t protocols : {0, -1, 2, 1'001}) {
    Member broken(broker_->brokers());
    broken.AskToJoin(std::chrono::seconds(30), protocols);
    EXPECT_TRUE(broken.WaitUntilClosed()) << protocols;
  }
  one_.AskToJoin();
  EXPECT_EQ(one_.WaitUntilJoined().error, 0);
}

TEST_F(KafkaGroupTest, WhoSyncsForAnotherGenerationIsRefused) {
  one_.AskToJoin();
  const std::int32_t generation = one_.WaitUntilJoined().generation;
  one_.AskToSync(generation - 1);
  const Synced refused = one_.WaitUntilSynced();
  EXPECT_EQ(refused.error, kIllegalGeneration);
  EXPECT_EQ(refused.assignment, "");
}

}  // namespace
}  // namespace tollbridge::sandbox
