#include "base/wire/server_call.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>

namespace tollbridge::wire {
namespace {

/// A writer goes on when no more than this waits for the flow control.
constexpr std::size_t kUnsent = std::size_t{64} << 10;
/// A caller ends its call itself when its time is over; this is for one that does not.
constexpr std::chrono::seconds kPatience{1};
/// What RFC 9113 counts for each header beside its text.
constexpr std::size_t kHeaderOverhead = 32;

/// That many times the bound: looking at the rest would cost more than an answer is worth, since a
/// byte of HPACK may stand for 4,000.
constexpr std::size_t kHeadersWithoutAnswer = 2;
/// Of a message beside its text, where it is kept.
constexpr std::size_t kMessageOverhead = sizeof(std::string);
/// Of a call beside what came of it: here, in nghttp2, and in what is told of it.
constexpr std::size_t kCallOverhead = 4096;

constexpr std::string_view kContentType = "application/grpc";

absl::Status CallerGone() { return absl::CancelledError("the caller has gone"); }

const Metadata kNone;

}  // namespace

ServerCall::ServerCall(std::shared_ptr<Service> service, CallTransport& transport, Origin origin)
    : service_(std::move(service)),
      transport_(&transport),
      origin_(std::move(origin)),
      began_(BootClock::now()),
      reader_(service_->limits.max_request_bytes) {
  ++*origin_.under_way;
}

const std::string* ServerCall::FindMetadata(std::string_view name) const {
  const auto found =
      std::ranges::find_if(metadata_, [&](const auto& entry) { return entry.first == name; });
  return found == metadata_.end() ? nullptr : &found->second;
}

bool ServerCall::CountHeader(std::string_view name, std::string_view value) {
  header_bytes_ += name.size() + value.size() + kHeaderOverhead;
  ++headers_;
  if (header_bytes_ <= kHeadersWithoutAnswer * service_->limits.max_header_bytes) return true;
  service_->counts.Count(Refusal::kHeaderBytes);
  return false;
}

void ServerCall::AddHeader(std::string_view name, std::string_view value) {
  // Refused when they have ended: until then the rest is not kept.
  if (header_bytes_ > service_->limits.max_header_bytes) return;
  if (headers_ > service_->limits.max_headers) return;
  if (name == ":path") {
    path_ = value;
  } else if (name == ":method") {
    http_method_ = value;
  } else if (name == "content-type") {
    SetOnce(content_type_, value);
  } else if (name == "grpc-timeout") {
    SetOnce(timeout_text_, value);
  } else if (name == "grpc-encoding") {
    SetOnce(encoding_, value);
  } else if (!name.starts_with(':') && name != "te" && name != "grpc-accept-encoding") {
    AddMetadata(name, value);
  }
}

void ServerCall::SetOnce(std::optional<std::string>& header, std::string_view value) {
  header_twice_ |= header.has_value();
  header = value;
}

void ServerCall::AddMetadata(std::string_view name, std::string_view value) {
  if (!IsBinaryName(name)) {
    metadata_.emplace_back(name, value);
    return;
  }
  // Several values may have been joined on the way; each is kept as a header of its own, and
  // counts.
  for (bool more = true; more; header_bytes_ += more ? name.size() + kHeaderOverhead : 0) {
    if (header_bytes_ > service_->limits.max_header_bytes) return;
    const std::size_t comma = value.find(',');
    more = comma != std::string_view::npos;
    std::optional<std::string> raw = DecodeBinary(value.substr(0, comma));
    if (more) value.remove_prefix(comma + 1);
    bad_binary_ |= !raw.has_value();
    metadata_.emplace_back(name, std::move(raw).value_or(""));
  }
}

std::optional<std::string_view> ServerCall::FirstProblem() const {
  if (header_twice_) return "content-type, grpc-timeout or grpc-encoding is given twice";
  if (bad_binary_) return "a header whose name ends in -bin is no base64";
  if (timeout_text_.has_value() && !timeout_.has_value()) return "grpc-timeout is malformed";
  return std::nullopt;
}

void ServerCall::HeadersEnded() {
  if (ended_) return;
  const Limits& limits = service_->limits;
  if (header_bytes_ > limits.max_header_bytes) {
    Refuse({absl::StatusCode::kResourceExhausted,
            absl::StrCat("the headers are longer than the ", limits.max_header_bytes,
                         " bytes that are taken")},
           Refusal::kHeaderBytes);
    return;
  }
  if (headers_ > limits.max_headers) {
    Refuse(
        {absl::StatusCode::kResourceExhausted,
         absl::StrCat("there are more than the ", limits.max_headers, " headers that are taken")},
        Refusal::kHeaderBytes);
    return;
  }
  if (http_method_ != "POST") {
    http_refusal_ = "405";
  } else if (!IsGrpcContentType(content_type_.value_or(""))) {
    http_refusal_ = "415";
  }
  if (!http_refusal_.empty()) return transport_->LookBy(look_by());
  if (timeout_text_.has_value()) timeout_ = ParseTimeout(*timeout_text_);
  if (const auto problem = FirstProblem(); problem.has_value()) {
    Refuse({absl::StatusCode::kInternal, std::string(*problem)}, Refusal::kMalformed);
    return;
  }
  if (encoding_.value_or("identity") != "identity") {
    Refuse({absl::StatusCode::kUnimplemented, "compressed requests are not taken"},
           Refusal::kCompressed);
    return;
  }
  const auto found = service_->methods.find(std::string_view(path_));
  if (found == service_->methods.end()) {
    service_->counts.Count(Refusal::kMalformed);
    return EndWith(service_->unknown_method);
  }
  method_ = &found->second;
  if (method_->streams_requests) transport_->Ready(*this);
  transport_->LookBy(look_by());
}

void ServerCall::AddData(std::string_view bytes) {
  unconsumed_ += bytes.size();
  if (can_send() && http_refusal_.empty()) {
    if (const auto bad = reader_.Add(bytes); bad.has_value()) {
      Refuse(bad->status, bad->refusal);
    } else if (!method_->streams_requests &&
               reader_.messages().size() + (reader_.AtBoundary() ? 0 : 1) > 1) {
      Refuse({absl::StatusCode::kUnimplemented, "this method takes one message"},
             Refusal::kMalformed);
    }
    Wake();
  }
  // A message has to come in whole, whatever the window; the next one waits until it is read.
  const bool unread =
      method_ != nullptr && method_->streams_requests && !reader_.messages().empty() && can_send();
  if (!unread && transport_ != nullptr) {
    transport_->Consume(*this, std::exchange(unconsumed_, 0));
  }
}

void ServerCall::RequestEnded() {
  request_ended_ = true;
  if (!can_send()) return;
  if (!http_refusal_.empty()) {
    RefuseHttp();
  } else if (!reader_.AtBoundary()) {
    Refuse({absl::StatusCode::kInternal, "the request ended within a message"},
           Refusal::kMalformed);
  } else if (method_->streams_requests) {
    Wake();
  } else if (reader_.messages().empty()) {
    Refuse({absl::StatusCode::kUnimplemented, "this method takes one message, and none came"},
           Refusal::kMalformed);
  } else {
    transport_->Ready(*this);
  }
}

void ServerCall::Start() {
  if (!can_send() || started_) return;
  started_ = true;
  transport_->Runs(1);
  method_->start(shared_from_this());
}

std::string ServerCall::TakeRequest() {
  std::string request;
  if (reader_.messages().empty()) return request;
  request = std::move(reader_.messages().front());
  reader_.messages().pop_front();
  return request;
}

void ServerCall::LimitTime(std::chrono::nanoseconds time) {
  time += BootClock::now() - began_;
  timeout_ = std::min(timeout_.value_or(time), time);
  if (transport_ != nullptr) transport_->LookBy(look_by());
}

Async<std::optional<std::string>> ServerCall::Read() {
  while (can_send() && reader_.messages().empty() && !request_ended_) co_await WaitForNews();
  if (!can_send()) co_return CallerGone();
  if (reader_.messages().empty()) co_return std::optional<std::string>();
  std::optional<std::string> message = TakeRequest();
  if (reader_.messages().empty() && unconsumed_ > 0) {
    transport_->Consume(*this, std::exchange(unconsumed_, 0));
  }
  co_return message;
}

AsyncStatus ServerCall::Write(std::string message, const Metadata& initial) {
  if (!can_send()) co_return CallerGone();
  SendHeaders(initial);
  AppendMessage(message, &out_);
  message = {};
  transport_->Resume(*this);
  while (can_send() && unsent() > kUnsent) co_await WaitForNews();
  co_return can_send() ? absl::OkStatus() : CallerGone();
}

void ServerCall::Finish(const CallStatus& status, const std::string* message,
                        const Metadata& initial, const Metadata& trailing) {
  if (!std::exchange(handler_done_, true) && transport_ == nullptr) --*origin_.under_way;
  if (status.ok() && can_send()) transport_->Proven();
  End(status, status.ok() ? message : nullptr, initial, trailing);
}

void ServerCall::EndWith(const CallStatus& status) { End(status, nullptr, kNone, kNone); }

void ServerCall::Dismiss(const CallStatus& status) {
  if (ended_) return;
  cancelled_.store(true, std::memory_order_release);
  EndWith(status);
}

void ServerCall::Refuse(const CallStatus& status, Refusal refusal) {
  service_->counts.Count(refusal);
  const Metadata trailing =
      refusal == Refusal::kCompressed ? Metadata{{"grpc-accept-encoding", "identity"}} : Metadata{};
  End(status, nullptr, kNone, trailing);
}

void ServerCall::RefuseHttp() {
  service_->counts.Count(Refusal::kMalformed);
  ended_ = true;
  ended_at_ = BootClock::now();
  headers_sent_ = true;
  transport_->Respond(*this, {{":status", http_refusal_}}, true);
  CountUnsent();
  transport_->LookBy(look_by());
}

void ServerCall::SendHeaders(const Metadata& initial) {
  if (std::exchange(headers_sent_, true)) return;
  HeaderViews headers{{":status", "200"}, {"content-type", kContentType}};
  std::deque<std::string> encoded;
  for (const auto& [name, value] : initial) {
    headers.emplace_back(name,
                         IsBinaryName(name) ? encoded.emplace_back(EncodeBinary(value)) : value);
  }
  transport_->Respond(*this, headers, false);
}

void ServerCall::End(const CallStatus& status, const std::string* message, const Metadata& initial,
                     const Metadata& trailing) {
  if (std::exchange(ended_, true)) return;
  ended_at_ = BootClock::now();
  if (transport_ == nullptr) return;
  if (started_) transport_->Runs(-1);
  // What came is of no use any more.
  metadata_ = {};
  if (!started_ || method_->streams_requests) {
    reader_ = MessageReader(service_->limits.max_request_bytes);
  }
  trailers_.emplace_back("grpc-status", absl::StrCat(static_cast<int>(status.code)));
  if (!status.message.empty()) {
    trailers_.emplace_back("grpc-message", PercentEncode(status.message));
  }
  if (!status.details.empty()) {
    trailers_.emplace_back("grpc-status-details-bin", EncodeBinary(status.details));
  }
  for (const auto& [name, value] : trailing) {
    trailers_.emplace_back(name, IsBinaryName(name) ? EncodeBinary(value) : value);
  }
  if (!headers_sent_ && message == nullptr && initial.empty()) {
    headers_sent_ = true;
    HeaderViews headers{{":status", "200"}, {"content-type", kContentType}};
    headers.insert(headers.end(), trailers_.begin(), trailers_.end());
    transport_->Respond(*this, headers, true);
  } else {
    SendHeaders(initial);
    if (message != nullptr) {
      out_.reserve(out_.size() + message->size() + 8);
      AppendMessage(*message, &out_);
    }
    transport_->Resume(*this);
  }
  CountUnsent();
  transport_->LookBy(look_by());
  Wake();
}

void ServerCall::CountUnsent() {
  const std::int64_t now = ended_ ? static_cast<std::int64_t>(kCallOverhead + unsent()) : 0;
  if (now == counted_) return;
  transport_->Wait(now - std::exchange(counted_, now));
}

std::size_t ServerCall::Take(std::span<char> into, bool* end) {
  if (reset_) return 0;
  const std::size_t size = std::min(into.size(), unsent());
  std::memcpy(into.data(), out_.data() + sent_, size);
  sent_ += size;
  if (unsent() == 0) {
    out_.clear();
    sent_ = 0;
  }
  CountUnsent();
  *end = ended_ && unsent() == 0;
  if (!ended_ && unsent() <= kUnsent) Wake();
  return size;
}

void ServerCall::Closed() {
  if (!ended_) cancelled_.store(true, std::memory_order_release);
  if (transport_ != nullptr) {
    transport_->Wait(-std::exchange(counted_, 0));
    if (started_ && !ended_) transport_->Runs(-1);
  }
  if (!started_) {
    // It may yet wait for its start.
    metadata_ = {};
    reader_ = MessageReader(service_->limits.max_request_bytes);
  }
  const bool was_open = std::exchange(transport_, nullptr) != nullptr;
  if (was_open && (!started_ || handler_done_)) --*origin_.under_way;
  Wake();
}

boost::asio::awaitable<void> ServerCall::WaitForNews() {
  if (news_ == nullptr) news_ = std::make_unique<Signal>(origin_.executor);
  co_await news_->Wait();
}

void ServerCall::Wake() {
  if (news_ != nullptr) news_->Fire();
}

std::size_t ServerCall::held_bytes() const {
  if (ended_ || (started_ && request_ended_)) return 0;
  // One that is there in whole waits for its turn, and its connection with it.
  std::size_t bytes = header_bytes_ + reader_.partial_bytes();
  if (!request_ended_) bytes += kCallOverhead;
  for (const std::string& message : reader_.messages()) bytes += message.size() + kMessageOverhead;
  return bytes;
}

BootTime ServerCall::look_by() const {
  if (reset_) return BootTime::max();
  // What has ended and is still here waits for its peer.
  if (ended_) return ended_at_ + service_->limits.write_timeout;
  BootTime by = BootTime::max();
  if (!request_ended_ && (method_ == nullptr || !method_->streams_requests)) {
    by = began_ + service_->limits.request_timeout;
  }
  if (timeout_.has_value()) by = std::min(by, began_ + *timeout_ + kPatience);
  return by;
}

void ServerCall::Look(BootTime now) {
  if (transport_ == nullptr || now < look_by()) return;
  if (ended_) {
    GiveUp(Refusal::kStalled);
  } else if (timeout_.has_value() && now >= began_ + *timeout_ + kPatience) {
    Dismiss({absl::StatusCode::kDeadlineExceeded, "the deadline is over"});
  } else if (!http_refusal_.empty()) {
    RefuseHttp();
  } else {
    Refuse({absl::StatusCode::kDeadlineExceeded, "the request did not come in whole in time"},
           Refusal::kRequestTimeout);
  }
}

bool ServerCall::Hurry(BootTime since) {
  if (transport_ == nullptr || !ended_ || ended_at_ >= since) return true;
  if (reset_) return false;
  GiveUp(Refusal::kUnsentBytes);
  return true;
}

void ServerCall::GiveUp(Refusal refusal) {
  service_->counts.Count(refusal);
  reset_ = true;
  ended_at_ = BootClock::now();
  transport_->Reset(*this);
  // The stream is closed only when its peer takes that.
  out_ = {};
  sent_ = 0;
  CountUnsent();
}

}  // namespace tollbridge::wire
