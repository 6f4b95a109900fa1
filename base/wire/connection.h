#ifndef TOLLBRIDGE_BASE_WIRE_CONNECTION_H_
#define TOLLBRIDGE_BASE_WIRE_CONNECTION_H_

#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/core/signal.h"
#include "base/net/socket_stream.h"
#include "base/net/turns.h"
#include "base/wire/frame_rate.h"
#include "base/wire/server_call.h"
#include "base/wire/session.h"

namespace tollbridge::wire {

/// One connection of a server, on its socket's executor. Internal to base/wire.
class Connection final : public std::enable_shared_from_this<Connection>,
                         private SessionEvents,
                         private CallTransport {
 public:
  struct Place {
    /// Of the executor among those of the server.
    std::size_t shard;
    /// How many connections came before it.
    std::uint64_t number;
    /// As net::SourceOf has it.
    std::string source;
  };
  Connection(std::shared_ptr<Service> service, std::shared_ptr<const net::TlsContext> tls,
             boost::asio::ip::tcp::socket socket, Place place);

  /// Serves calls until the connection has to end, and ends it.
  boost::asio::awaitable<void> Run();

  /// Asks the peer to make its further calls elsewhere. Those that come until it has heard of it
  /// are taken; when none is left the connection ends.
  void Notify();
  /// Ends all calls for the peer, UNAVAILABLE, and then the connection.
  void Leave();
  void Abort();
  /// Aborts it where the certificate of its peer is revoked now.
  void EndIfRevoked();
  /// Gives up answers that have waited for their caller since before `since`.
  void Hurry(BootTime since);
  /// Others need the room: ends it while it waits for its peer. Whether it does.
  bool Shed();
  /// It has had its time to go: ends it, where it was to make room.
  void EndIfShed();

  static constexpr std::int64_t kDoesNotWait = -1;
  /// Since when it has had no call. A number that only compares with others; kDoesNotWait while it
  /// has one. Any thread.
  std::int64_t waits_since() const { return waits_since_.load(std::memory_order_relaxed); }
  /// A call of it was answered OK. Any thread.
  bool proven() const { return proven_.load(std::memory_order_relaxed); }

 private:
  // SessionEvents.
  ServerCall* OnRequest(std::int32_t stream) override;
  void OnClosed(ServerCall& call) override;
  void OnControlFrame(ControlFrame frame) override;
  void OnSettled() override { settled_ = true; }
  void OnPong() override;
  void OnAnswered() override { answered_ = true; }
  void OnInvalidFrame(bool too_many_streams) override;
  void OnLongBlock() override;
  void OnGivenUp() override;

  // CallTransport.
  void Respond(ServerCall& call, const HeaderViews& headers, bool end) override;
  void Resume(ServerCall& call) override;
  void Consume(ServerCall& call, std::size_t bytes) override;
  void Reset(ServerCall& call) override;
  void Ready(ServerCall& call) override;
  void LookBy(BootTime time) override;
  void Runs(int by) override;
  void Proven() override { proven_.store(true, std::memory_order_relaxed); }
  void Wait(std::int64_t by) override { unsent_ += by; }

  boost::asio::awaitable<bool> Handshake();
  boost::asio::awaitable<void> ReadToEnd();
  void Receive(std::string_view bytes);
  void StartReady();
  /// Tells all connections together what this one holds, and refuses calls while it is too much.
  void ShareHeldBytes();
  /// Tells them what waits here of answers, and has all hurry while it is too much.
  void ShareUnsentBytes();
  /// While too much waits in all.
  void HurryAll();

  /// Sends what there is, once what is under way now has been dealt with.
  void FlushSoon();
  void Flush();
  /// Whether there is something to write.
  bool Fill();
  boost::asio::awaitable<void> WriteToEnd();
  void CloseWhenDone();
  void Die(Refusal refusal);

  void BeginWait();
  void OnAlarm();
  void LookAtAge(BootTime now);
  /// Whether it still lives.
  bool LookAtPeer(BootTime now);
  /// Ends it where a block of headers has not become whole in time.
  void LookAtBlock(BootTime now);
  void LookAtCalls(BootTime now);
  /// Whether a time has come; if not, the alarm goes off then.
  bool Due(BootTime time, BootTime now);
  std::vector<std::shared_ptr<ServerCall>> Calls() const;

  std::shared_ptr<Service> service_;
  std::shared_ptr<const net::TlsContext> tls_;
  boost::asio::any_io_executor executor_;
  net::SocketStream stream_;
  const Place place_;
  net::Turns::Waiter turn_;
  std::shared_ptr<Peer> peer_ = std::make_shared<Peer>();
  const BootTime opened_;

  std::optional<Session> session_;
  std::unordered_map<std::int32_t, std::shared_ptr<ServerCall>> calls_;
  std::shared_ptr<std::size_t> under_way_ = std::make_shared<std::size_t>(0);
  std::vector<std::shared_ptr<ServerCall>> ready_;
  /// Calls whose handler runs and that have not ended.
  int running_ = 0;
  std::int64_t held_ = 0;
  std::int64_t unsent_ = 0;
  std::int64_t shared_unsent_ = 0;
  bool hurries_ = false;
  FrameRate resets_;
  FrameRate settings_;
  FrameRate pings_;
  /// Since the last PING.
  bool answered_ = false;
  FrameRate empty_frames_;

  std::array<char, 4 * 1024> in_;
  std::string out_;
  std::size_t written_ = 0;
  Signal write_ended_;
  bool receiving_ = false;
  bool flush_is_due_ = false;
  bool writing_ = false;
  /// The peer has sent what ends the connection: nothing more of it is looked at.
  bool deaf_ = false;
  bool invalid_ = false;
  bool closing_ = false;
  bool dead_ = false;
  bool over_ = false;

  boost::asio::steady_timer alarm_;
  BootTime alarm_at_ = BootTime::max();
  bool settled_ = false;
  /// The block of headers that was not whole when it was looked at, of all that came, and since
  /// when.
  std::uint64_t block_ = 0;
  BootTime block_began_{};
  BootTime last_read_;
  std::optional<BootTime> pinged_at_;
  std::optional<BootTime> notified_at_;
  bool said_goodbye_ = false;
  bool left_ = false;
  bool shed_ = false;

  std::atomic<std::int64_t> waits_since_;
  std::atomic<bool> proven_{false};
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_CONNECTION_H_
