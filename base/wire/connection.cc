#include "base/wire/connection.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <cmath>
#include <utility>

namespace tollbridge::wire {
namespace {

namespace asio = boost::asio;

/// What is written at a time.
constexpr std::size_t kMostWritten = std::size_t{64} << 10;
/// Frames that wait to be sent: a peer that makes us queue more than its calls need does not read.
/// Each takes some 160 bytes.
constexpr std::size_t kMostQueued = 1'000;
/// A connection that holds no more is not refused any of its requests for what others hold.
constexpr std::size_t kSmall = std::size_t{12} << 10;
/// What the decoder keeps of a byte of a header that is not whole, at most.
constexpr std::size_t kOfHuffman = 2;
/// What stays of a buffer for answers when there is none to send.
constexpr std::size_t kKeptOfBuffer = std::size_t{16} << 10;
/// What more of answers waits here before others are told.
constexpr std::int64_t kMuchUnsent = std::int64_t{64} << 10;
/// While too much waits others are told so often in the time that an answer has then: nothing else
/// may happen any more that would tell them.
constexpr int kLooksWhileHurried = 4;
/// For the peer to read the last frames and end its side.
constexpr std::chrono::milliseconds kCloseTime{1'000};
/// For the peer to have heard that its calls are to go elsewhere; else its pong tells it.
constexpr std::chrono::milliseconds kNoticeTime{1'000};

BootTime In(std::chrono::milliseconds time) { return BootClock::now() + time; }

/// A tenth more or less, so that connections that came together do not end together.
BootClock::duration Spread(std::chrono::milliseconds age, std::uint64_t number) {
  constexpr double kGolden = 0.6180339887498949;
  double whole = 0;
  const double part = std::modf(static_cast<double>(number) * kGolden, &whole);
  return std::chrono::duration_cast<BootClock::duration>(
      std::chrono::duration<double>(std::chrono::duration<double>(age) * (0.9 + 0.2 * part)));
}

const CallStatus& ShuttingDown() {
  static const CallStatus status{absl::StatusCode::kUnavailable, "the connection is being ended"};
  return status;
}

}  // namespace

Connection::Connection(std::shared_ptr<Service> service, std::shared_ptr<const net::TlsContext> tls,
                       asio::ip::tcp::socket socket, Place place)
    : service_(std::move(service)),
      tls_(std::move(tls)),
      executor_(socket.get_executor()),
      stream_(std::move(socket)),
      place_(std::move(place)),
      turn_(net::Turns::Of(executor_), place_.source),
      opened_(BootClock::now()),
      resets_(service_->limits.max_resets_per_second),
      settings_(service_->limits.max_settings_per_second),
      pings_(service_->limits.max_pings_per_second),
      empty_frames_(service_->limits.max_empty_frames_per_second),
      write_ended_(executor_),
      alarm_(executor_),
      last_read_(opened_) {
  peer_->address = stream_.peer();
  BeginWait();
}

void Connection::BeginWait() {
  waits_since_.store(BootClock::now().time_since_epoch().count(), std::memory_order_relaxed);
}

asio::awaitable<void> Connection::Run() {
  const auto self = shared_from_this();
  if (tls_ != nullptr) {
    const bool shaken = co_await Handshake();
    if (!shaken) co_return;
  }
  co_await ReadToEnd();
  over_ = true;
  alarm_.cancel();
  for (const auto& call : Calls()) call->Closed();
  calls_.clear();
  ready_.clear();
  service_->counts.Hold(-std::exchange(held_, 0));
  service_->counts.Wait(-std::exchange(shared_unsent_, 0));
  if (!closing_ || dead_) {
    stream_.Abort();
  } else {
    while (writing_) co_await write_ended_.Wait();
    session_.reset();
    co_await stream_.Close(In(kCloseTime));
  }
}

asio::awaitable<bool> Connection::Handshake() {
  const absl::Status status = co_await stream_.HandshakeAsServer(
      tls_, opened_ + service_->limits.handshake_timeout, [this] { return turn_.Handshake(); });
  // The lists may have changed meanwhile.
  if (!status.ok() || stream_.alpn() != "h2" || stream_.PeerRevoked(*tls_)) {
    service_->counts.Count(Refusal::kHandshake);
    co_return false;
  }
  peer_->tls = true;
  peer_->certificate = stream_.PeerNames();
  co_return true;
}

asio::awaitable<void> Connection::ReadToEnd() {
  session_.emplace(static_cast<SessionEvents&>(*this), service_->limits);
  // Sets the alarm too.
  OnAlarm();
  Flush();
  while (!closing_ && !dead_) {
    const absl::StatusOr<std::size_t> size = co_await stream_.ReadSome(in_, net::kNoDeadline);
    if (absl::IsFailedPrecondition(size.status())) Die(Refusal::kProtocol);
    if (!size.ok() || *size == 0) co_return;
    last_read_ = BootClock::now();
    // What more it sends stays in the socket meanwhile.
    co_await turn_.Read(*size);
    if (!deaf_ && !closing_ && !dead_) Receive({in_.data(), *size});
  }
}

void Connection::Receive(std::string_view bytes) {
  receiving_ = true;
  if (!session_->Receive(bytes)) {
    service_->counts.Count(Refusal::kProtocol);
    deaf_ = true;
  }
  StartReady();
  receiving_ = false;
  ShareHeldBytes();
  LookAtBlock(last_read_);
  if (dead_) return;
  if (session_->queued() > kMostQueued) return Die(Refusal::kStalled);
  Flush();
}

void Connection::StartReady() {
  // What starts may end at once, and nothing starts another one.
  for (auto& call : std::exchange(ready_, {})) {
    const std::size_t bytes = call->held_bytes();
    turn_.Start(bytes, [call = std::move(call)] { call->Start(); });
  }
}

void Connection::ShareHeldBytes() {
  const auto most = static_cast<std::int64_t>(service_->limits.max_held_bytes);
  const std::size_t block = session_->block_bytes() * kOfHuffman;
  for (;;) {
    std::size_t held = block;
    ServerCall* largest = nullptr;
    for (const auto& [stream, call] : calls_) {
      const std::size_t of_call = call->held_bytes();
      held += of_call;
      if (largest == nullptr || of_call > largest->held_bytes()) largest = call.get();
    }
    const auto now = static_cast<std::int64_t>(held);
    if (now == held_) return;
    const std::int64_t of_all = service_->counts.Hold(now - std::exchange(held_, now));
    if (of_all <= most || held <= kSmall) return;
    if (largest == nullptr || largest->held_bytes() == 0) return Die(Refusal::kHeldBytes);
    largest->Refuse({absl::StatusCode::kResourceExhausted,
                     "too much is held of requests that are not there in whole"},
                    Refusal::kHeldBytes);
  }
}

void Connection::ShareUnsentBytes() {
  const std::int64_t more = unsent_ - shared_unsent_;
  if (more > -kMuchUnsent && more < kMuchUnsent && unsent_ > 0) return;
  if (more == 0) return;
  shared_unsent_ = unsent_;
  service_->counts.Wait(more);
  if (more > 0) HurryAll();
}

void Connection::HurryAll() {
  hurries_ =
      service_->counts.unsent() > static_cast<std::int64_t>(service_->limits.max_unsent_bytes);
  if (!hurries_) return;
  service_->hurry();
  LookBy(In(service_->limits.hurried_write_timeout / kLooksWhileHurried));
}

void Connection::Hurry(BootTime since) {
  if (over_ || dead_ || !session_.has_value()) return;
  bool takes = true;
  for (const auto& call : Calls()) takes &= call->Hurry(since);
  if (!takes) return Die(Refusal::kUnsentBytes);
  ShareUnsentBytes();
}

ServerCall* Connection::OnRequest(std::int32_t stream) {
  // The last GOAWAY does not know of it, so that its peer makes it elsewhere: it may not run here.
  const bool no_more = deaf_ || said_goodbye_;
  if (no_more || *under_way_ >= service_->limits.max_streams) {
    if (!no_more) service_->counts.Count(Refusal::kStreams);
    session_->Reset(stream, Session::Error::kRefusedStream);
    return nullptr;
  }
  auto call = std::make_shared<ServerCall>(service_, static_cast<CallTransport&>(*this),
                                           ServerCall::Origin{.stream = stream,
                                                              .shard = place_.shard,
                                                              .executor = executor_,
                                                              .peer = peer_,
                                                              .under_way = under_way_});
  LookBy(call->look_by());
  return calls_.insert_or_assign(stream, std::move(call)).first->second.get();
}

void Connection::OnClosed(ServerCall& call) {
  call.Closed();
  calls_.erase(call.stream());
}

void Connection::Runs(int by) {
  running_ += by;
  // What waited for its start is held no more.
  if (by > 0 && held_ != 0) FlushSoon();
  // With a request that is half there, or an answer that is not taken, it waits for its peer.
  if (running_ == 0) {
    BeginWait();
  } else {
    waits_since_.store(kDoesNotWait, std::memory_order_relaxed);
  }
}

void Connection::OnControlFrame(ControlFrame frame) {
  if (deaf_) return;
  const BootTime now = BootClock::now();
  const auto take = [&](FrameRate& rate, Refusal refusal) {
    if (rate.Take(now)) return;
    service_->counts.Count(refusal);
    session_->Terminate(Session::Error::kEnhanceYourCalm);
    deaf_ = true;
  };
  switch (frame) {
    case ControlFrame::kReset:
      return take(resets_, Refusal::kResets);
    case ControlFrame::kSettings:
      return take(settings_, Refusal::kSettings);
    case ControlFrame::kPing:
      // gRPC's client in Go sends one whenever data came, to measure the bandwidth.
      if (std::exchange(answered_, false)) return;
      return take(pings_, Refusal::kPings);
    case ControlFrame::kEmpty:
      return take(empty_frames_, Refusal::kEmptyFrames);
  }
}

void Connection::OnPong() {
  if (!notified_at_.has_value() || std::exchange(said_goodbye_, true)) return;
  session_->SayGoodbye();
}

void Connection::OnInvalidFrame(bool too_many_streams) {
  service_->counts.Count(too_many_streams ? Refusal::kStreams : Refusal::kProtocol);
  if (too_many_streams) return;
  invalid_ = true;
  // It is answered by RST_STREAM, as if the peer had sent one.
  OnControlFrame(ControlFrame::kReset);
}

void Connection::OnLongBlock() {
  if (std::exchange(deaf_, true)) return;
  service_->counts.Count(Refusal::kHeaderBytes);
  session_->Terminate(Session::Error::kEnhanceYourCalm);
}

void Connection::OnGivenUp() {
  if (std::exchange(deaf_, true) || invalid_) return;
  service_->counts.Count(Refusal::kProtocol);
}

void Connection::Respond(ServerCall& call, const HeaderViews& headers, bool end) {
  session_->Respond(call, headers, end);
  FlushSoon();
}

void Connection::Resume(ServerCall& call) {
  session_->Resume(call.stream());
  FlushSoon();
}

void Connection::Consume(ServerCall& call, std::size_t bytes) {
  session_->Consume(call.stream(), bytes);
  FlushSoon();
}

void Connection::Reset(ServerCall& call) {
  session_->Reset(call.stream(), Session::Error::kCancel);
  FlushSoon();
}

void Connection::Ready(ServerCall& call) { ready_.push_back(call.shared_from_this()); }

void Connection::FlushSoon() {
  if (receiving_ || std::exchange(flush_is_due_, true)) return;
  // Calls that end together are written together.
  asio::post(executor_, [self = shared_from_this()] {
    self->flush_is_due_ = false;
    // What has ended or was read is held no more, though nothing came.
    if (self->held_ != 0) self->ShareHeldBytes();
    self->Flush();
  });
}

bool Connection::Fill() {
  while (out_.size() < kMostWritten) {
    const std::string_view bytes = session_->NextBytes();
    if (bytes.empty()) break;
    out_.append(bytes);
  }
  ShareUnsentBytes();
  return !out_.empty();
}

void Connection::Flush() {
  if (dead_ || over_) return;
  if (writing_) return ShareUnsentBytes();
  while (Fill()) {
    written_ = stream_.WriteNow(out_);
    if (written_ < out_.size()) {
      writing_ = true;
      asio::co_spawn(executor_, WriteToEnd(), asio::detached);
      return;
    }
    out_.clear();
  }
  if (out_.capacity() > kKeptOfBuffer && calls_.empty()) out_ = {};
  CloseWhenDone();
}

asio::awaitable<void> Connection::WriteToEnd() {
  const auto self = shared_from_this();
  do {
    const absl::Status status = co_await stream_.WriteAll(std::string_view(out_).substr(written_),
                                                          In(service_->limits.write_timeout));
    out_.clear();
    written_ = 0;
    if (absl::IsDeadlineExceeded(status)) Die(Refusal::kStalled);
    if (!status.ok()) dead_ = true;
  } while (!dead_ && !over_ && Fill());
  writing_ = false;
  write_ended_.Fire();
  if (dead_) stream_.Abort();
  if (!dead_ && !over_) CloseWhenDone();
}

void Connection::CloseWhenDone() {
  if (closing_ || !session_->done()) return;
  closing_ = true;
  // End the wait or the read under way, and with it Run.
  turn_.Cancel();
  stream_.Cancel();
}

void Connection::Die(Refusal refusal) {
  if (std::exchange(dead_, true)) return;
  service_->counts.Count(refusal);
  Abort();
}

void Connection::Abort() {
  dead_ = true;
  turn_.Cancel();
  stream_.Abort();
}

void Connection::EndIfRevoked() {
  if (!over_ && peer_->tls && stream_.PeerRevoked(*tls_)) Die(Refusal::kHandshake);
}

void Connection::Notify() {
  if (over_ || notified_at_.has_value()) return;
  // In the midst of its handshake it has no call to lose.
  if (!session_.has_value()) return Abort();
  notified_at_ = BootClock::now();
  session_->NotifyShutdown();
  LookBy(*notified_at_ + kNoticeTime);
  FlushSoon();
}

void Connection::Leave() {
  if (over_) return;
  if (!session_.has_value()) return Abort();
  left_ = true;
  for (const auto& call : Calls()) call->Dismiss(ShuttingDown());
  said_goodbye_ = true;
  session_->SayGoodbye();
  FlushSoon();
}

bool Connection::Shed() {
  if (over_) return true;
  if (waits_since() == kDoesNotWait) return false;
  shed_ = true;
  if (proven() && session_.has_value()) {
    session_->Terminate(Session::Error::kNone);
    FlushSoon();
  } else {
    Abort();
  }
  return true;
}

void Connection::EndIfShed() {
  if (!shed_) return;
  if (!over_ || writing_) return Abort();
  // All is written: a peer that reads it finds why, which after a reset it need not.
  stream_.Cancel();
}

void Connection::LookBy(BootTime time) {
  if (over_ || time >= alarm_at_) return;
  alarm_at_ = time;
  alarm_.expires_at(SteadyTime(time));
  alarm_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
    // Set anew meanwhile.
    if (ec) return;
    if (const auto self = weak.lock(); self != nullptr) self->OnAlarm();
  });
}

bool Connection::Due(BootTime time, BootTime now) {
  if (time <= now) return true;
  LookBy(time);
  return false;
}

void Connection::OnAlarm() {
  alarm_at_ = BootTime::max();
  if (over_ || dead_) return;
  const BootTime now = BootClock::now();
  if (!LookAtPeer(now)) return;
  LookAtBlock(now);
  if (dead_) return;
  if (hurries_) HurryAll();
  LookAtAge(now);
  LookAtCalls(now);
}

bool Connection::LookAtPeer(BootTime now) {
  const Limits& limits = service_->limits;
  if (!settled_ && Due(opened_ + limits.handshake_timeout, now)) {
    Die(Refusal::kHandshake);
    return false;
  }
  if (pinged_at_.has_value() && last_read_ > *pinged_at_) pinged_at_.reset();
  if (!pinged_at_.has_value() && Due(last_read_ + limits.keepalive_time, now)) {
    pinged_at_ = now;
    session_->Ping();
    FlushSoon();
  }
  if (pinged_at_.has_value() && Due(*pinged_at_ + limits.keepalive_timeout, now)) {
    Die(Refusal::kKeepalive);
  }
  return !dead_;
}

void Connection::LookAtAge(BootTime now) {
  const Limits& limits = service_->limits;
  const BootTime old = opened_ + Spread(limits.max_connection_age, place_.number);
  if (Due(old, now)) {
    Notify();
    if (Due(old + limits.max_connection_age_grace, now) && !left_) Leave();
  }
  if (notified_at_.has_value() && !said_goodbye_ && Due(*notified_at_ + kNoticeTime, now)) OnPong();
  FlushSoon();
}

void Connection::LookAtBlock(BootTime now) {
  if (session_->block_bytes() == 0) return;
  if (std::exchange(block_, session_->blocks()) != session_->blocks()) block_began_ = now;
  // Until it is whole no other frame may come, nor an answer to the request.
  if (Due(block_began_ + service_->limits.request_timeout, now)) Die(Refusal::kRequestTimeout);
}

void Connection::LookAtCalls(BootTime now) {
  for (const auto& call : Calls()) {
    call->Look(now);
    if (const BootTime by = call->look_by(); by > now) LookBy(by);
  }
}

std::vector<std::shared_ptr<ServerCall>> Connection::Calls() const {
  std::vector<std::shared_ptr<ServerCall>> calls;
  calls.reserve(calls_.size());
  for (const auto& [stream, call] : calls_) calls.push_back(call);
  return calls;
}

}  // namespace tollbridge::wire
