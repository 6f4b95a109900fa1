#include "base/http/client.h"

#include <algorithm>
#include <utility>

#include "base/core/status_macros.h"
#include "base/http/parsers.h"
#include "base/http/pool.h"
#include "base/http/serialize.h"
#include "base/net/stream.h"

namespace tollbridge::http {
namespace {

constexpr std::uint32_t kMaxHeaderBytes = 16 * 1024;

/// A connection with an exchange under way: aborted unless the exchange ended in order, also when
/// the coroutine is destroyed in the middle, so that the kernel does not go on sending.
class Exchange {
 public:
  explicit Exchange(std::unique_ptr<net::Stream> stream) : stream_(std::move(stream)) {}
  ~Exchange() {
    if (stream_ != nullptr) stream_->Abort();
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  net::Stream& stream() { return *stream_; }
  std::unique_ptr<net::Stream> Finish() { return std::move(stream_); }

 private:
  std::unique_ptr<net::Stream> stream_;
};

/// Reads the answer; what has come of a body that is streamed goes on before more is read.
AsyncStatus ReadResponse(net::Stream& stream, ResponseParser& parser, const SendOptions& options,
                         SendResult& result) {
  while (!parser.done()) {
    TB_CO_ASSIGN_OR_RETURN(const std::size_t size,
                           co_await stream.ReadSome(parser.Prepare(), options.deadline));
    absl::Status status = parser.Commit(size);
    if (!status.ok()) co_return status;
    if (const std::string_view piece = parser.piece(); !piece.empty()) {
      result.body_given = true;
      status = co_await options.on_body(piece);
      result.body_refused = !status.ok();
      if (!status.ok()) co_return status;
    }
    if (size == 0 && !parser.done()) co_return absl::DataLossError("the answer was cut off");
  }
  co_return absl::OkStatus();
}

std::chrono::milliseconds Left(BootTime deadline) {
  if (deadline == net::kNoDeadline) return std::chrono::hours(24);
  return std::chrono::ceil<std::chrono::milliseconds>(deadline - BootClock::now());
}

}  // namespace

Client::Client(boost::asio::any_io_executor executor, ClientOptions options)
    : pool_(std::make_shared<Pool>(std::move(executor), std::move(options))) {}

Client::~Client() { pool_->Close(); }

std::shared_ptr<const PoolStatistics> Client::statistics() const {
  return pool_->shared_statistics();
}

const Url& Client::base_url() const { return pool_->options().base_url; }

void Client::LookAtFiles() const {
  if (const auto& tls = pool_->options().tls; tls != nullptr) tls->Look();
}

boost::asio::awaitable<SendResult> Client::Send(Request request, SendOptions options) {
  const std::shared_ptr<Pool> pool = pool_;
  const ClientOptions& client = pool->options();
  SendResult result;
  const absl::StatusOr<std::string> bytes =
      SerializeRequest(request, client.base_url, client.user_agent);
  if (!bytes.ok()) {
    result.error = bytes.status();
    co_return result;
  }

  const BootTime started = BootClock::now();
  absl::StatusOr<Pool::Slot> slot = co_await pool->Acquire(
      options.on_body ? Pool::Use::kStream : Pool::Use::kWhole, options.deadline);
  const BootTime acquired = BootClock::now();
  result.timings.pool_wait = acquired - started;
  if (!slot.ok()) {
    result.error = slot.status();
    co_return result;
  }

  std::unique_ptr<net::Stream> connection = pool->TakeIdle();
  result.reused_connection = connection != nullptr;
  if (connection == nullptr) {
    net::ConnectOptions connect{client.base_url.host, client.base_url.port, client.tls,
                                std::min(options.deadline, acquired + client.connect_timeout)};
    auto connected = co_await net::Connect(pool->executor(), std::move(connect));
    result.timings.connect = BootClock::now() - acquired;
    if (!connected.ok()) {
      result.error = connected.status();
      co_return result;
    }
    connection = *std::move(connected);
    pool->statistics().opened_total.fetch_add(1, std::memory_order_relaxed);
  }

  Exchange exchange(std::move(connection));
  ResponseParser parser(request.method == "HEAD", kMaxHeaderBytes, options.max_response_bytes,
                        static_cast<bool>(options.on_body));
  if (Left(options.deadline).count() <= 0) {
    result.error = absl::DeadlineExceededError("deadline passed before the request was written");
    co_return result;
  }
  result.error = exchange.stream().SetUserTimeout(Left(options.deadline));
  if (!result.error.ok()) co_return result;
  const BootTime writing = BootClock::now();
  // Nothing may come between this and the write: what it guards is the time of the first byte.
  if ((options.write_before.has_value() && client.now() > *options.write_before) ||
      (options.write_before_civil.has_value() &&
       client.civil_now() > *options.write_before_civil)) {
    result.error = absl::FailedPreconditionError("the send window is over");
    co_return result;
  }
  result.fate = Fate::kUnknown;
  result.error = co_await exchange.stream().WriteAll(*bytes, options.deadline);
  if (result.error.ok()) {
    result.error = co_await ReadResponse(exchange.stream(), parser, options, result);
  }
  result.timings.exchange = BootClock::now() - writing;
  if (!result.error.ok()) co_return result;

  result.fate = Fate::kAnswered;
  const bool reusable = parser.reusable();
  result.response = parser.Take();
  std::unique_ptr<net::Stream> finished = exchange.Finish();
  if (reusable) pool->Keep(std::move(finished));
  co_return result;
}

}  // namespace tollbridge::http
