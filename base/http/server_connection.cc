#include "base/http/server_connection.h"

#include <exception>
#include <utility>

namespace tollbridge::http {
namespace {

namespace asio = boost::asio;

/// For the peer to read the last answer and end its side.
constexpr std::chrono::milliseconds kCloseTime{1000};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

BootTime In(std::chrono::milliseconds time) { return BootClock::now() + time; }

}  // namespace

ServerConnection::ServerConnection(const ServerOptions& options, const Handler& handler,
                                   asio::ip::tcp::socket socket, const std::string& source)
    : options_(options),
      handler_(handler),
      turn_(net::Turns::Of(socket.get_executor()), source),
      stream_(std::move(socket)),
      parser_(options.limits.max_header_bytes, options.limits.max_body_bytes),
      info_{.peer = stream_.peer(),
            .source = source,
            .tls = options.tls != nullptr,
            .waits = [this](std::function<void()> give_up) { HandlerWaits(std::move(give_up)); }} {
  BeginWait();
}

void ServerConnection::BeginWait() {
  waits_since_.store(BootClock::now().time_since_epoch().count(), std::memory_order_relaxed);
}

void ServerConnection::Stop() {
  stopping_ = true;
  if (idle_) stream_.Cancel();
}

void ServerConnection::HandlerWaits(std::function<void()> give_up) {
  if (shed_ && give_up) return give_up();
  give_up_ = std::move(give_up);
  handler_waits_.store(give_up_ != nullptr, std::memory_order_relaxed);
  if (give_up_) {
    BeginWait();
  } else {
    waits_since_.store(kDoesNotWait, std::memory_order_relaxed);
  }
}

void ServerConnection::Abort() {
  stopping_ = true;
  shed_ = true;
  turn_.Cancel();
  stream_.Abort();
  if (const auto give_up = std::exchange(give_up_, {})) give_up();
}

void ServerConnection::Shed() {
  // What is written, and what a handler that waits will answer, is of no use any more: the file is
  // free at once.
  if (writes_ || give_up_) return Abort();
  stopping_ = true;
  shed_ = true;
  if (waits_since() == kDoesNotWait) return;
  turn_.Cancel();
  stream_.Cancel();
}

asio::awaitable<void> ServerConnection::Run() {
  Next next = Next::kGoOn;
  if (options_.tls != nullptr) next = co_await Handshake();
  while (next == Next::kGoOn) {
    next = co_await AwaitRequest();
    if (next != Next::kGoOn) break;
    // Most requests come whole, and cost no further coroutine.
    if (!parser_.AdvanceToEnd()) next = co_await ReadRequest();
    if (next != Next::kGoOn) break;
    co_await turn_.Answer();
    if (shed_) break;
    waits_since_.store(kDoesNotWait, std::memory_order_relaxed);
    next = co_await Answer();
    ++info_.request_index;
    BeginWait();
  }
  if (next == Next::kClose) {
    leaves_.store(true, std::memory_order_relaxed);
    co_await stream_.Close(In(kCloseTime));
  } else if (next == Next::kDrop) {
    stream_.Abort();
  }
}

asio::awaitable<ServerConnection::Next> ServerConnection::Handshake() {
  const absl::Status status = co_await stream_.HandshakeAsServer(
      options_.tls, In(options_.limits.header_timeout), [this] { return turn_.Handshake(); });
  co_return status.ok() ? Next::kGoOn : Next::kEnd;
}

asio::awaitable<ServerConnection::Next> ServerConnection::AwaitRequest() {
  if (stopping_) co_return Next::kEnd;
  if (!parser_.empty()) co_return Next::kGoOn;
  const auto& limits = options_.limits;
  const bool first = info_.request_index == 0;
  idle_ = true;
  const absl::StatusOr<std::size_t> size = co_await stream_.ReadSome(
      parser_.Prepare(), In(first ? limits.header_timeout : limits.idle_timeout));
  idle_ = false;
  if (!size.ok() || *size == 0) co_return Next::kEnd;
  // What more it sends stays in the socket meanwhile.
  co_await turn_.Read(*size);
  if (shed_) co_return Next::kEnd;
  parser_.Commit(*size);
  co_return Next::kGoOn;
}

asio::awaitable<ServerConnection::Next> ServerConnection::ReadRequest() {
  const auto& limits = options_.limits;
  RequestParser::Progress progress = parser_.Advance();
  Next next = co_await ReadUntilProgress(In(limits.header_timeout), progress);
  if (next != Next::kGoOn || progress == RequestParser::Progress::kDone) co_return next;
  if (parser_.expects_continue()) {
    writes_ = true;
    const absl::Status written = co_await stream_.WriteAll(kContinue, In(limits.write_timeout));
    writes_ = false;
    if (!written.ok()) co_return Next::kDrop;
  }
  progress = parser_.Advance();
  next = co_await ReadUntilProgress(In(limits.body_timeout), progress);
  co_return next;
}

asio::awaitable<ServerConnection::Next> ServerConnection::ReadUntilProgress(
    BootTime deadline, RequestParser::Progress& progress) {
  while (progress == RequestParser::Progress::kNeedMore) {
    const absl::StatusOr<std::size_t> size = co_await stream_.ReadSome(parser_.Prepare(), deadline);
    if (absl::IsDeadlineExceeded(size.status())) {
      co_return co_await Refuse(408, "the request took too long");
    }
    if (!size.ok() || *size == 0) co_return Next::kEnd;
    co_await turn_.Read(*size);
    if (shed_) co_return Next::kEnd;
    parser_.Commit(*size);
    progress = parser_.Advance();
  }
  if (progress == RequestParser::Progress::kBad) {
    const RequestParser::Refusal& refusal = parser_.refusal();
    co_return co_await Refuse(refusal.status, refusal.reason);
  }
  co_return Next::kGoOn;
}

asio::awaitable<ServerConnection::Next> ServerConnection::Refuse(int status,
                                                                 std::string_view reason) {
  co_return co_await WriteResponse(options_.error_response(status, reason),
                                   ResponseFraming{false, true, false});
}

asio::awaitable<ServerConnection::Next> ServerConnection::Answer() {
  ResponseFraming framing;
  framing.http_1_1 = parser_.http_1_1();
  framing.keep_alive = parser_.keep_alive();
  const Request request = parser_.Take();
  framing.to_head = request.method == "HEAD";
  Response response;
  // Exceptions end here: a handler is other rooms' code.
  try {
    response = co_await handler_(request, info_);
  } catch (const std::exception&) {
    response = options_.error_response(500, "internal error");
  }
  if (stream_.aborted()) co_return Next::kDrop;
  if (response.status < 400) proven_.store(true, std::memory_order_relaxed);
  const auto connection = response.headers.Find("Connection");
  if (stopping_ || info_.request_index + 1 >= options_.limits.max_requests_per_connection ||
      (connection.has_value() && EqualsIgnoreCase(*connection, "close")) ||
      (response.body_producer && !framing.http_1_1)) {
    framing.keep_alive = false;
  }
  if (WriteResponseNow(response, framing)) co_return Next::kGoOn;
  co_return co_await WriteResponse(std::move(response), framing);
}

bool ServerConnection::WriteResponseNow(const Response& response, ResponseFraming framing) {
  if (response.body_producer || response.reset_after_bytes || !framing.keep_alive ||
      options_.tls != nullptr) {
    return false;
  }
  const absl::StatusOr<std::string> bytes = SerializeResponse(response, framing);
  if (!bytes.ok()) return false;
  const std::size_t written = stream_.WriteNow(*bytes);
  if (written == bytes->size()) return true;
  written_before_ = written;
  return false;
}

asio::awaitable<ServerConnection::Next> ServerConnection::WriteResponse(Response response,
                                                                        ResponseFraming framing) {
  absl::StatusOr<std::string> bytes = SerializeResponse(response, framing);
  if (!bytes.ok()) {
    response = options_.error_response(500, "internal error");
    framing.keep_alive = false;
    bytes = SerializeResponse(response, framing);
    if (!bytes.ok()) co_return Next::kDrop;
  }
  response_bytes_ = 0;
  const std::string_view rest = std::string_view(*bytes).substr(std::exchange(written_before_, 0));
  Next next = co_await Write(response, rest);
  if (next == Next::kGoOn && response.body_producer && framing.HasBody(response)) {
    next = co_await WriteProduced(response, framing);
  }
  if (next == Next::kGoOn && !framing.keep_alive) next = Next::kClose;
  co_return next;
}

asio::awaitable<ServerConnection::Next> ServerConnection::WriteProduced(const Response& response,
                                                                        ResponseFraming framing) {
  const bool chunked = framing.Chunked(response);
  for (;;) {
    absl::StatusOr<std::string> piece = absl::InternalError("");
    waits_since_.store(kDoesNotWait, std::memory_order_relaxed);
    try {
      piece = co_await response.body_producer();
    } catch (const std::exception&) {
      co_return Next::kDrop;
    }
    if (!piece.ok()) co_return Next::kDrop;
    const bool last = piece->empty();
    if (last && !chunked) co_return Next::kGoOn;
    const std::string bytes = chunked ? SerializeChunk(*piece) : *std::move(piece);
    const Next next = co_await Write(response, bytes);
    if (next != Next::kGoOn || last) co_return next;
  }
}

asio::awaitable<ServerConnection::Next> ServerConnection::Write(const Response& response,
                                                                std::string_view bytes) {
  bool reset = false;
  if (response.reset_after_bytes.has_value()) {
    const std::size_t left = *response.reset_after_bytes - response_bytes_;
    reset = bytes.size() >= left;
    bytes = bytes.substr(0, left);
    response_bytes_ += bytes.size();
  }
  if (!bytes.empty()) {
    // Who does not take an answer keeps nobody out.
    BeginWait();
    writes_ = true;
    const absl::Status written =
        co_await stream_.WriteAll(bytes, In(shed_ ? kCloseTime : options_.limits.write_timeout));
    writes_ = false;
    if (!written.ok()) co_return Next::kDrop;
  }
  co_return reset ? Next::kDrop : Next::kGoOn;
}

}  // namespace tollbridge::http
