#ifndef TOLLBRIDGE_TESTS_E2E_ATTACKS_ATTACKERS_H_
#define TOLLBRIDGE_TESTS_E2E_ATTACKS_ATTACKERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/base/wire/raw_client.h"

/// What anybody who can connect may try at a gRPC port on loopback. Each blocks until the server
/// has dealt with it, and comes from kAttacker.
namespace tollbridge::test::attacks {

inline constexpr const char* kAttacker = "127.0.0.2";

/// Connections that have said that they speak HTTP/2 and say nothing more. Closed by it.
class IdleConnections {
 public:
  /// Opens `count` of them, from each address in turn; those that the server has closed are not
  /// opened again. Raises the process's limit of open files. `more` is what they say beside.
  IdleConnections(std::uint16_t port, std::size_t count, const std::vector<std::string>& sources,
                  const std::string& more = "");
  ~IdleConnections();
  IdleConnections(const IdleConnections&) = delete;
  IdleConnections& operator=(const IdleConnections&) = delete;

  /// How many the server has accepted and not closed, or has not looked at.
  std::size_t CountOpen();

 private:
  std::vector<int> sockets_;
};

/// 256 MiB of zeros, compressed by gzip: 261 KB.
std::string GzipBomb();
/// A call with the bomb as its compressed message: the status that it is answered with. `named`:
/// with grpc-encoding.
std::string SendBomb(std::uint16_t port, const std::string& bomb, bool named);

/// The headers of a call that is never made.
std::string HalfACall();
/// A part of the headers of a call, 26,000 bytes of which the last has yet to come.
std::string HalfAHeader();
/// A hundred calls, and no window for their answers.
std::string CallsWithoutAWindow();
/// Messages of TLS that say they are 131,000 bytes long, of which nothing comes: one on each of so
/// many connections, until the server has closed them.
void LongHellos(std::uint16_t port, std::size_t count);
/// So many calls, each with a header of 12,000 commas, that is of as many values.
void HeadersOfCommas(std::uint16_t port, int count);

/// 500 calls on each of 60 connections, each with 480 headers that take a byte each.
void CallsOfManyHeaders(std::uint16_t port);
/// So many connections that say hello in TLS and go.
void HellosWithoutEnd(std::uint16_t port, int count);

/// Connections that ask the port of metrics for its page again and again, and take nothing.
class DeafScrapers {
 public:
  DeafScrapers(std::uint16_t port, int count);

 private:
  std::deque<wire::RawClient> clients_;
};

/// Connections of HTTP, so many from each of the addresses, that send the same request again and
/// again without waiting for answers, and take these. One that is closed comes again. On a thread
/// of its own, until destroyed.
class EndlessRequests {
 public:
  EndlessRequests(std::uint16_t port, const std::string& request,
                  const std::vector<std::string>& sources, std::size_t of_each);
  ~EndlessRequests();
  EndlessRequests(const EndlessRequests&) = delete;
  EndlessRequests& operator=(const EndlessRequests&) = delete;

  /// Answers that came so far.
  std::size_t answers() const { return answers_; }

 private:
  struct Connection {
    std::string source;
    int fd = -1;
    /// What it has sent of all the requests that go out at a time.
    std::size_t sent = 0;
  };

  void Run();
  void Open(Connection& connection) const;
  /// Whether it is still there.
  bool Exchange(Connection& connection);

  const std::uint16_t port_;
  std::string requests_;
  std::vector<Connection> connections_;
  std::atomic<std::size_t> answers_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

/// 60 requests on each of `connections`, of which `bytes` of 200,000 come and then nothing.
class HalfSentRequests {
 public:
  HalfSentRequests(std::uint16_t port, int connections, std::size_t bytes);

 private:
  std::deque<wire::RawClient> clients_;
};

/// So many calls that are reset at once, on as many connections as it takes.
void RapidResets(std::uint16_t port, int count);
/// HEADERS with 8 MiB of CONTINUATION.
void Continuations(std::uint16_t port);
/// PING frames, and SETTINGS frames, until the server ends the connection. Throws when it does not.
void PingFlood(std::uint16_t port);
void SettingsFlood(std::uint16_t port);
/// Bytes that are no HTTP/2: a request of HTTP/1, and anything.
void OtherProtocols(std::uint16_t port);

/// Callers of Search.ExportOrders whose windows are opened by a few bytes at a time.
class SlowReaders {
 public:
  SlowReaders(std::uint16_t port, int count);

  /// Opens the windows by a little.
  void OpenALittle();
  /// Whether something has come through each of them.
  bool AllHaveGotSome();

 private:
  std::deque<wire::RawClient> clients_;
};

/// One whose window is as wide as it may be, and who takes no bytes off the connection.
class DeafReader {
 public:
  explicit DeafReader(std::uint16_t port);

 private:
  wire::RawClient client_;
};

/// Connections whose TLS handshake stops half way: a third says nothing, a third a part of its
/// ClientHello, and a third all of it and not what comes after.
class HalfHandshakes {
 public:
  HalfHandshakes(std::uint16_t port, std::size_t count);

  /// Waits until the server has closed all of them.
  void AwaitClose();

 private:
  std::deque<wire::RawClient> clients_;
};

}  // namespace tollbridge::test::attacks

#endif  // TOLLBRIDGE_TESTS_E2E_ATTACKS_ATTACKERS_H_
