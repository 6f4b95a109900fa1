#include "tests/unit/base/wire/raw_client.h"

#include <arpa/inet.h>
#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "base/wire/codec.h"

namespace tollbridge::wire {
namespace {

constexpr timeval kPatience{.tv_sec = 20, .tv_usec = 0};

std::uint32_t NumberAt(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

// A text of HPACK without Huffman's code (RFC 7541, 5.1 and 5.2).
void AppendText(std::string* out, std::string_view text) {
  std::size_t size = text.size();
  if (size < 127) {
    out->push_back(static_cast<char>(size));
  } else {
    out->push_back(127);
    for (size -= 127; size >= 128; size >>= 7) out->push_back(static_cast<char>(size % 128 + 128));
    out->push_back(static_cast<char>(size));
  }
  out->append(text);
}

void Inflate(nghttp2_hd_inflater* inflater, std::string& block,
             std::map<std::string, std::string>* into) {
  auto* in = reinterpret_cast<std::uint8_t*>(block.data());
  std::size_t left = block.size();
  for (;;) {
    nghttp2_nv pair;
    int flags = 0;
    const ssize_t taken = nghttp2_hd_inflate_hd2(inflater, &pair, &flags, in, left, 1);
    if (taken < 0) throw std::runtime_error("no header block");
    in += taken;
    left -= static_cast<std::size_t>(taken);
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
      (*into)[std::string(reinterpret_cast<char*>(pair.name), pair.namelen)] =
          std::string(reinterpret_cast<char*>(pair.value), pair.valuelen);
    }
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) {
      nghttp2_hd_inflate_end_headers(inflater);
      return;
    }
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0 && left == 0) return;
  }
}

}  // namespace

sockaddr_in SocketAddress(const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

std::string NumberBytes(std::uint32_t number, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((number >> shift) & 0xff));
  }
  return out;
}

std::string FrameBytes(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                       std::string_view payload) {
  std::string out = NumberBytes(static_cast<std::uint32_t>(payload.size()), 3);
  out.push_back(static_cast<char>(type));
  out.push_back(static_cast<char>(flags));
  out.append(NumberBytes(stream));
  out.append(payload);
  return out;
}

std::string HeaderBlock(const Fields& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    out.push_back(0);
    AppendText(&out, name);
    AppendText(&out, value);
  }
  return out;
}

Fields CallHeaders(std::string_view path) {
  return {{":method", "POST"},         {":scheme", "http"}, {":path", std::string(path)},
          {":authority", "localhost"}, {"te", "trailers"},  {"content-type", "application/grpc"}};
}

std::string Message(std::string_view message) {
  std::string out;
  AppendMessage(message, &out);
  return out;
}

std::string CallBytes(std::uint32_t stream, std::string_view path, std::string_view message) {
  constexpr std::size_t kLongest = 16'384;
  std::string out =
      FrameBytes(frame::kHeaders, frame::kEndHeaders, stream, HeaderBlock(CallHeaders(path)));
  const std::string bytes = Message(message);
  for (std::size_t at = 0; at < bytes.size(); at += kLongest) {
    const bool last = at + kLongest >= bytes.size();
    out += FrameBytes(frame::kData, last ? frame::kEndStream : 0, stream,
                      std::string_view(bytes).substr(at, kLongest));
  }
  return out;
}

std::string Preface() {
  return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + FrameBytes(frame::kSettings, 0, 0, "");
}

void RawClient::Delete::operator()(nghttp2_hd_inflater* inflater) const {
  nghttp2_hd_inflate_del(inflater);
}

RawClient::RawClient(std::uint16_t port, bool preface, const std::string& source)
    : socket_(socket(AF_INET, SOCK_STREAM, 0)), speaks_(preface) {
  nghttp2_hd_inflater* inflater = nullptr;
  nghttp2_hd_inflate_new(&inflater);
  inflater_.reset(inflater);
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  const sockaddr_in from = SocketAddress(source, 0);
  const sockaddr_in to = SocketAddress("127.0.0.1", port);
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&from), sizeof(from)) != 0 ||
      connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) {
    throw std::runtime_error("cannot connect");
  }
  if (preface) Send(Preface());
}

RawClient::~RawClient() { close(socket_); }

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::Read(std::size_t size, std::string* out) {
  out->resize(size);
  std::size_t read = 0;
  while (read < size) {
    const ssize_t got = recv(socket_, out->data() + read, size - read, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      throw std::runtime_error("the server says nothing");
    }
    if (got <= 0) return false;
    read += static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<Frame> RawClient::Next() {
  std::string head;
  if (!Read(9, &head)) return std::nullopt;
  Frame next;
  next.type = static_cast<std::uint8_t>(head[3]);
  next.flags = static_cast<std::uint8_t>(head[4]);
  next.stream = NumberAt(head, 5, 4);
  if (!Read(NumberAt(head, 0, 3), &next.payload)) return std::nullopt;
  if (speaks_ && next.type == frame::kSettings && (next.flags & frame::kAck) == 0) {
    Send(FrameBytes(frame::kSettings, frame::kAck, 0, ""));
  }
  return next;
}

Answer RawClient::Await(std::uint32_t stream) {
  Answer answer;
  while (std::optional<Frame> next = Next()) {
    std::map<std::string, std::string> headers;
    // All blocks have to go through the one inflater of the connection.
    if (next->type == frame::kHeaders) Inflate(inflater_.get(), next->payload, &headers);
    if (next->stream != stream) continue;
    if (next->type == frame::kHeaders) answer.headers.merge(headers);
    if (next->type == frame::kData) answer.data += next->payload;
    if (next->type == frame::kReset) answer.reset = NumberAt(next->payload, 0, 4);
    const bool ends = (next->type == frame::kHeaders || next->type == frame::kData) &&
                      (next->flags & frame::kEndStream) != 0;
    if (ends || answer.reset.has_value()) return answer;
  }
  answer.headers["closed"] = "true";
  return answer;
}

std::optional<std::uint32_t> RawClient::AwaitGoAway() {
  while (const std::optional<Frame> next = Next()) {
    if (next->type == frame::kGoAway) return NumberAt(next->payload, 4, 4);
  }
  return std::nullopt;
}

void RawClient::AwaitClose() {
  while (Next().has_value()) {
  }
}

void RawClient::Abort() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close(socket_);
  socket_ = -1;
}

}  // namespace tollbridge::wire
