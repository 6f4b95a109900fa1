#include "base/wire/session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <new>
#include <span>
#include <vector>

namespace tollbridge::wire {
namespace {

/// Of the connection; a stream has HTTP/2's 64 KiB. What comes is taken in at once.
constexpr std::int32_t kConnectionWindow = 1 << 20;
/// The headers that are taken fit into one frame; this is for who splits them.
constexpr std::size_t kMostContinuations = 8;
/// That many times the headers that are taken, a block ends the connection.
constexpr std::size_t kBlocksWithoutAnswer = 2;
/// Ranges of stream numbers that a peer may have passed over until the first is forgotten.
constexpr std::size_t kMostPassedOver = 8;
/// In a GOAWAY that only gives notice.
constexpr std::int32_t kNoLastStream = 0x7fffffff;
/// Ours ends the connection first, and is counted.
constexpr std::uint64_t kResetsBeforeOurs = 1'000'000;

nghttp2_nv Pair(std::string_view name, std::string_view value) {
  // nghttp2 takes pointers to what it may change, and copies instead.
  auto* const name_bytes = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data()));
  auto* const value_bytes = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data()));
  return {name_bytes, value_bytes, name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string_view Text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

ServerCall* CallOf(nghttp2_session* session, std::int32_t stream) {
  return static_cast<ServerCall*>(nghttp2_session_get_stream_user_data(session, stream));
}

bool EndsStream(const nghttp2_frame_hd& header) {
  return (header.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

bool IsAck(const nghttp2_frame_hd& header) { return (header.flags & NGHTTP2_FLAG_ACK) != 0; }

/// Frames without anything are counted as they begin.
bool IsOnlyPadding(const nghttp2_frame& frame) {
  return frame.hd.type == NGHTTP2_DATA && frame.hd.length > 0 &&
         frame.hd.length == frame.data.padlen && !EndsStream(frame.hd);
}

bool IsRequestHeaders(const nghttp2_frame& frame) {
  return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
}

}  // namespace

struct SessionCallbacks {
  static SessionEvents& EventsOf(void* session) { return static_cast<Session*>(session)->events_; }

  static void OnFrameBegins(const nghttp2_frame_hd& header, Session& session) {
    SessionEvents& events = session.events_;
    switch (header.type) {
      case NGHTTP2_HEADERS:
        return session.TakeNumber(header.stream_id);
      case NGHTTP2_RST_STREAM:
        return events.OnControlFrame(ControlFrame::kReset);
      case NGHTTP2_SETTINGS:
        if (!IsAck(header)) events.OnControlFrame(ControlFrame::kSettings);
        return;
      case NGHTTP2_PING:
        if (!IsAck(header)) events.OnControlFrame(ControlFrame::kPing);
        return;
      case NGHTTP2_PRIORITY:
        return events.OnControlFrame(ControlFrame::kEmpty);
      case NGHTTP2_DATA:
        if (header.length == 0 && !EndsStream(header)) events.OnControlFrame(ControlFrame::kEmpty);
        return;
      default:
        return;
    }
  }

  static void OnFrame(nghttp2_session* session, const nghttp2_frame& frame, SessionEvents& events) {
    switch (frame.hd.type) {
      case NGHTTP2_SETTINGS:
        if (!IsAck(frame.hd)) events.OnSettled();
        return;
      case NGHTTP2_PING:
        if (IsAck(frame.hd)) events.OnPong();
        return;
      case NGHTTP2_HEADERS:
      case NGHTTP2_DATA: {
        ServerCall* const call = CallOf(session, frame.hd.stream_id);
        if (call == nullptr) return;
        if (IsOnlyPadding(frame)) events.OnControlFrame(ControlFrame::kEmpty);
        if (IsRequestHeaders(frame)) call->HeadersEnded();
        if (EndsStream(frame.hd)) call->RequestEnded();
        return;
      }
      default:
        return;
    }
  }

  static void OnFrameSent(nghttp2_session* session, const nghttp2_frame& frame,
                          SessionEvents& events) {
    if (frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA) events.OnAnswered();
    if (frame.hd.type == NGHTTP2_GOAWAY && frame.goaway.error_code != NGHTTP2_NO_ERROR) {
      return events.OnGivenUp();
    }
    if (frame.hd.type == NGHTTP2_GOAWAY && frame.goaway.last_stream_id == kNoLastStream) {
      // Not together with it: nghttp2 sends a PING before all else, and its pong would say nothing.
      nghttp2_submit_ping(session, NGHTTP2_FLAG_NONE, nullptr);
      return;
    }
    ServerCall* const call = CallOf(session, frame.hd.stream_id);
    if (frame.hd.type == NGHTTP2_RST_STREAM && call != nullptr && !call->invalid() &&
        (frame.rst_stream.error_code == NGHTTP2_PROTOCOL_ERROR ||
         frame.rst_stream.error_code == NGHTTP2_FLOW_CONTROL_ERROR)) {
      // As for a content-length that is not kept, or SETTINGS that make a window overflow, of which
      // nghttp2 says nothing.
      return events.OnInvalidFrame(/*too_many_streams=*/false);
    }
    if (frame.hd.type != NGHTTP2_HEADERS || !EndsStream(frame.hd)) return;
    // The answer was given without the rest of the request: it need not be sent (RFC 9113, 8.1).
    if (call == nullptr || call->request_ended()) return;
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame.hd.stream_id, NGHTTP2_NO_ERROR);
  }
};

// nghttp2's side: C calls these.
extern "C" {

static int tb_wire_begin_frame(nghttp2_session*, const nghttp2_frame_hd* header, void* self) {
  SessionCallbacks::OnFrameBegins(*header, *static_cast<Session*>(self));
  return 0;
}

static int tb_wire_begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
  if (!IsRequestHeaders(*frame)) return 0;
  ServerCall* const call = SessionCallbacks::EventsOf(self).OnRequest(frame->hd.stream_id);
  nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, call);
  return 0;
}

static int tb_wire_header(nghttp2_session* session, const nghttp2_frame* frame,
                          const std::uint8_t* name, std::size_t name_size,
                          const std::uint8_t* value, std::size_t value_size, std::uint8_t, void*) {
  ServerCall* const call = CallOf(session, frame->hd.stream_id);
  // No more is looked at of one that was not taken: it was reset.
  if (call == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (!call->CountHeader(Text(name, name_size), Text(value, value_size))) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                              NGHTTP2_ENHANCE_YOUR_CALM);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  if (IsRequestHeaders(*frame)) call->AddHeader(Text(name, name_size), Text(value, value_size));
  return 0;
}

static int tb_wire_frame(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
  SessionCallbacks::OnFrame(session, *frame, SessionCallbacks::EventsOf(self));
  return 0;
}

static int tb_wire_data(nghttp2_session* session, std::uint8_t, std::int32_t stream,
                        const std::uint8_t* bytes, std::size_t size, void*) {
  // The window of the connection is for all its calls: none of them may hold it.
  nghttp2_session_consume_connection(session, size);
  ServerCall* const call = CallOf(session, stream);
  if (call != nullptr) {
    call->AddData(Text(bytes, size));
  } else {
    nghttp2_session_consume_stream(session, stream, size);
  }
  return 0;
}

static int tb_wire_invalid_frame(nghttp2_session* session, const nghttp2_frame* frame, int error,
                                 void* self) {
  ServerCall* const call = CallOf(session, frame->hd.stream_id);
  if (call != nullptr) call->MarkInvalid();
  SessionCallbacks::EventsOf(self).OnInvalidFrame(error == NGHTTP2_ERR_REFUSED_STREAM);
  return 0;
}

static int tb_wire_frame_sent(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
  SessionCallbacks::OnFrameSent(session, *frame, SessionCallbacks::EventsOf(self));
  return 0;
}

static int tb_wire_frame_not_sent(nghttp2_session* session, const nghttp2_frame* frame, int,
                                  void*) {
  // As when an answer's headers are longer than nghttp2 sends: its peer would wait for ever.
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  if (CallOf(session, frame->hd.stream_id) == nullptr) return 0;
  nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                            NGHTTP2_INTERNAL_ERROR);
  return 0;
}

static int tb_wire_closed(nghttp2_session* session, std::int32_t stream, std::uint32_t,
                          void* self) {
  ServerCall* const call = CallOf(session, stream);
  // nghttp2 keeps the last streams of a peer, to know what may still come on them.
  nghttp2_session_set_stream_user_data(session, stream, nullptr);
  if (call != nullptr) SessionCallbacks::EventsOf(self).OnClosed(*call);
  return 0;
}

static ssize_t tb_wire_read(nghttp2_session* session, std::int32_t stream, std::uint8_t* into,
                            std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                            void*) {
  auto& call = *static_cast<ServerCall*>(source->ptr);
  bool end = false;
  const std::size_t taken = call.Take({reinterpret_cast<char*>(into), size}, &end);
  if (end) {
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    std::vector<nghttp2_nv> trailers;
    for (const auto& [name, value] : call.trailers()) trailers.push_back(Pair(name, value));
    nghttp2_submit_trailer(session, stream, trailers.data(), trailers.size());
  } else if (taken == 0) {
    return NGHTTP2_ERR_DEFERRED;
  }
  return static_cast<ssize_t>(taken);
}

}  // extern "C"

namespace {

/// The same for all sessions.
const nghttp2_session_callbacks* Callbacks() {
  static const nghttp2_session_callbacks* const all = [] {
    nghttp2_session_callbacks* made = nullptr;
    if (nghttp2_session_callbacks_new(&made) != 0) throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_begin_frame_callback(made, &tb_wire_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, &tb_wire_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(made, &tb_wire_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, &tb_wire_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, &tb_wire_data);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, &tb_wire_invalid_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(made, &tb_wire_frame_sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(made, &tb_wire_frame_not_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, &tb_wire_closed);
    return made;
  }();
  return all;
}

const nghttp2_option* Options() {
  static const nghttp2_option* const all = [] {
    nghttp2_option* made = nullptr;
    if (nghttp2_option_new(&made) != 0) throw std::bad_alloc();
    nghttp2_option_set_no_auto_window_update(made, 1);
    nghttp2_option_set_max_continuations(made, kMostContinuations);
    nghttp2_option_set_stream_reset_rate_limit(made, kResetsBeforeOurs, kResetsBeforeOurs);
    return made;
  }();
  return all;
}

std::uint32_t CodeOf(ssize_t error) {
  if (error == NGHTTP2_ERR_FLOODED || error == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS) {
    return NGHTTP2_ENHANCE_YOUR_CALM;
  }
  return error == NGHTTP2_ERR_BAD_CLIENT_MAGIC ? NGHTTP2_PROTOCOL_ERROR : NGHTTP2_INTERNAL_ERROR;
}

}  // namespace

void Session::Delete::operator()(nghttp2_session* session) const { nghttp2_session_del(session); }

Session::Session(SessionEvents& events, const Limits& limits)
    : events_(events), blocks_(kBlocksWithoutAnswer * limits.max_header_bytes) {
  nghttp2_session* made = nullptr;
  if (nghttp2_session_server_new2(&made, Callbacks(), this, Options()) != 0) throw std::bad_alloc();
  session_.reset(made);
  const std::vector<nghttp2_settings_entry> settings = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<std::uint32_t>(limits.max_streams)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits.max_header_bytes)}};
  nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Session::~Session() = default;

// nghttp2 ignores a request on a number that was passed over, as trailers that come late.
void Session::TakeNumber(std::int32_t stream) {
  if (stream > newest_) {
    if (stream > newest_ + 2) passed_over_.emplace_back(newest_ + 1, stream - 1);
    if (passed_over_.size() > kMostPassedOver) passed_over_.erase(passed_over_.begin());
    newest_ = stream;
    return;
  }
  const bool passed_over = std::ranges::any_of(passed_over_, [stream](const auto& range) {
    return stream >= range.first && stream <= range.second;
  });
  if (passed_over) nghttp2_session_terminate_session(session_.get(), NGHTTP2_PROTOCOL_ERROR);
}

bool Session::Receive(std::string_view bytes) {
  if (!blocks_.Take(bytes)) {
    events_.OnLongBlock();
    return true;
  }
  const ssize_t taken = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken >= 0) return true;
  nghttp2_session_terminate_session(session_.get(), CodeOf(taken));
  return false;
}

std::string_view Session::NextBytes() {
  const std::uint8_t* bytes = nullptr;
  const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
  // Less than none: there is no memory, or a mistake of ours. The connection ends by its silence.
  return size > 0 ? Text(bytes, static_cast<std::size_t>(size)) : std::string_view();
}

bool Session::done() const {
  return nghttp2_session_want_read(session_.get()) == 0 &&
         nghttp2_session_want_write(session_.get()) == 0;
}

std::size_t Session::queued() const {
  return nghttp2_session_get_outbound_queue_size(session_.get());
}

void Session::Respond(ServerCall& call, const HeaderViews& headers, bool end) {
  std::vector<nghttp2_nv> pairs;
  pairs.reserve(headers.size());
  for (const auto& [name, value] : headers) pairs.push_back(Pair(name, value));
  nghttp2_data_provider body{};
  body.source.ptr = &call;
  body.read_callback = &tb_wire_read;
  nghttp2_submit_response(session_.get(), call.stream(), pairs.data(), pairs.size(),
                          end ? nullptr : &body);
}

void Session::Resume(std::int32_t stream) { nghttp2_session_resume_data(session_.get(), stream); }

void Session::Consume(std::int32_t stream, std::size_t bytes) {
  nghttp2_session_consume_stream(session_.get(), stream, bytes);
}

void Session::Reset(std::int32_t stream, Error error) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream,
                            static_cast<std::uint32_t>(error));
}

void Session::Ping() { nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr); }

void Session::NotifyShutdown() { nghttp2_submit_shutdown_notice(session_.get()); }

void Session::SayGoodbye() {
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

void Session::Terminate(Error error) {
  nghttp2_session_terminate_session(session_.get(), static_cast<std::uint32_t>(error));
}

}  // namespace tollbridge::wire
