#include "base/http/parsers.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>

namespace tollbridge::http {
namespace {

namespace beast = boost::beast;
using boost::system::error_code;

constexpr std::size_t kReadSize = 8192;
/// Of a response whose last read was a full one, so that more of it is likely to be there.
constexpr std::size_t kLargeReadSize = std::size_t{64} << 10;

/// Of a response. Unlike Beast's string body it believes no Content-Length: memory is used only for
/// what has come.
struct GrowingBody {
  using value_type = std::string;

  class reader {
   public:
    template <bool is_request, class Fields>
    reader(beast::http::header<is_request, Fields>& /*header*/, value_type& body) : body_(body) {}

    void init(const boost::optional<std::uint64_t>& length, error_code& ec) {
      body_.reserve(static_cast<std::size_t>(std::min(length.value_or(0), kMaxReserved)));
      ec = {};
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& ec) {
      const std::size_t before = body_.size();
      for (auto at = boost::asio::buffer_sequence_begin(buffers);
           at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer buffer = *at;
        body_.append(static_cast<const char*>(buffer.data()), buffer.size());
      }
      ec = {};
      return body_.size() - before;
    }
    void finish(error_code& ec) { ec = {}; }

   private:
    static constexpr std::uint64_t kMaxReserved = std::uint64_t{64} << 10;
    value_type& body_;
  };
};

/// Whether to wait for more of a chunked body. A message that is not done has five bytes to come
/// at least, "0", CRLF and CRLF, and Beast asserts that it gets as many of its end at once.
template <typename Parser>
bool IsTooLittle(const Parser& parser, const beast::flat_buffer& buffer) {
  constexpr std::size_t kEnd = 5;
  return buffer.size() < kEnd && parser.is_header_done() && parser.chunked();
}

std::span<char> PrepareIn(beast::flat_buffer& buffer, std::size_t size) {
  const auto space = buffer.prepare(size);
  return {static_cast<char*>(space.data()), space.size()};
}

template <bool is_request>
Headers TakeHeaders(const beast::http::header<is_request>& from) {
  Headers headers;
  for (const auto& field : from) headers.Add(field.name_string(), field.value());
  return headers;
}

RequestParser::Refusal RefusalFor(const error_code& ec) {
  namespace http = beast::http;
  if (ec == http::error::header_limit) return {431, "the header is too large"};
  if (ec == http::error::body_limit) return {413, "the body is too large"};
  return {400, absl::StrCat("malformed request: ", ec.message())};
}

}  // namespace

std::string_view ReasonPhrase(int status) {
  const auto known = beast::http::int_to_status(static_cast<unsigned>(status));
  return known == beast::http::status::unknown ? "Unknown" : beast::http::obsolete_reason(known);
}

struct RequestParser::Impl {
  using Parser = beast::http::request_parser<beast::http::string_body>;

  void Restart() {
    parser.emplace();
    parser->header_limit(max_header_bytes);
    parser->body_limit(max_body_bytes);
    header_told = false;
  }

  /// Blank lines before a request line are tolerated (RFC 9112, 2.2).
  void SkipBlankLines() {
    while (buffer.size() > 0) {
      const char c = *static_cast<const char*>(buffer.data().data());
      if (c != '\r' && c != '\n') return;
      buffer.consume(1);
    }
  }

  /// Only `chunked`, once: another coding below it would be taken for the body (RFC 9112, 6.1).
  static std::optional<Refusal> CheckTransferEncoding(const beast::http::request_header<>& header) {
    const auto encodings = header.count(beast::http::field::transfer_encoding);
    if (encodings == 0) return std::nullopt;
    if (header.version() < 11) return Refusal{400, "Transfer-Encoding is for HTTP/1.1"};
    if (encodings > 1 ||
        !beast::iequals(header.find(beast::http::field::transfer_encoding)->value(), "chunked")) {
      return Refusal{501, "unknown transfer encoding"};
    }
    return std::nullopt;
  }

  /// Beast takes nothing of a chunk's header or of the trailers before their end has come, and
  /// bounds neither. Those whose end came with the last read may be as much larger as a read is.
  bool FramingTooLarge() const { return buffer.size() > max_header_bytes; }

  std::optional<Refusal> CheckHeader() const {
    const auto& header = parser->get();
    if (auto bad = CheckTransferEncoding(header); bad.has_value()) return bad;
    const auto hosts = header.count(beast::http::field::host);
    if (hosts > 1 || (hosts == 0 && header.version() >= 11)) {
      return Refusal{400, "there must be one Host"};
    }
    const auto expect = header.find(beast::http::field::expect);
    if (expect != header.end() && !beast::iequals(expect->value(), "100-continue")) {
      return Refusal{417, "unknown expectation"};
    }
    return std::nullopt;
  }

  std::uint32_t max_header_bytes = 0;
  std::size_t max_body_bytes = 0;
  beast::flat_buffer buffer;
  std::optional<Parser> parser;
  bool header_told = false;
  /// What AdvanceToEnd has come to, for the next Advance to tell.
  std::optional<Progress> again;
  Refusal refusal;
};

RequestParser::RequestParser(std::uint32_t max_header_bytes, std::size_t max_body_bytes)
    : impl_(std::make_unique<Impl>()) {
  impl_->max_header_bytes = max_header_bytes;
  impl_->max_body_bytes = max_body_bytes;
  impl_->Restart();
}

RequestParser::~RequestParser() = default;

std::span<char> RequestParser::Prepare() { return PrepareIn(impl_->buffer, kReadSize); }

void RequestParser::Commit(std::size_t size) { impl_->buffer.commit(size); }

RequestParser::Progress RequestParser::Advance() {
  if (impl_->again) return *std::exchange(impl_->again, std::nullopt);
  auto& parser = *impl_->parser;
  if (!parser.got_some()) impl_->SkipBlankLines();
  while (!parser.is_done() && impl_->buffer.size() > 0) {
    if (IsTooLittle(parser, impl_->buffer)) break;
    // Up to the header's end first, so that a body is neither read nor stored before the header is
    // accepted.
    parser.eager(parser.is_header_done());
    error_code ec;
    const std::size_t used = parser.put(impl_->buffer.data(), ec);
    impl_->buffer.consume(used);
    if (ec == beast::http::error::need_more) break;
    if (ec) {
      impl_->refusal = RefusalFor(ec);
      return Progress::kBad;
    }
    if (parser.is_header_done() && !impl_->header_told) {
      impl_->header_told = true;
      if (auto refusal = impl_->CheckHeader(); refusal.has_value()) {
        impl_->refusal = *std::move(refusal);
        return Progress::kBad;
      }
      if (!parser.is_done()) return Progress::kHeader;
    }
  }
  if (parser.is_done()) return Progress::kDone;
  if (impl_->FramingTooLarge()) {
    impl_->refusal = {431, "the header of a chunk, or the trailers, are too large"};
    return Progress::kBad;
  }
  return Progress::kNeedMore;
}

bool RequestParser::AdvanceToEnd() {
  Progress progress = Advance();
  if (progress == Progress::kHeader && !expects_continue()) progress = Advance();
  if (progress == Progress::kDone) return true;
  impl_->again = progress == Progress::kBad ? Progress::kBad
                 : impl_->header_told       ? Progress::kHeader
                                            : Progress::kNeedMore;
  return false;
}

bool RequestParser::empty() const {
  return impl_->buffer.size() == 0 && !impl_->parser->got_some();
}

const RequestParser::Refusal& RequestParser::refusal() const { return impl_->refusal; }

bool RequestParser::expects_continue() const {
  return http_1_1() && impl_->parser->get().count(beast::http::field::expect) > 0;
}

bool RequestParser::keep_alive() const { return impl_->parser->keep_alive(); }

bool RequestParser::http_1_1() const { return impl_->parser->get().version() >= 11; }

Request RequestParser::Take() {
  auto message = impl_->parser->release();
  Request request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.headers = TakeHeaders<true>(message);
  request.body = std::move(message.body());
  impl_->Restart();
  return request;
}

struct ResponseParser::Impl {
  using Parser = beast::http::response_parser<GrowingBody>;

  void Restart() {
    parser.emplace();
    parser->header_limit(max_header_bytes);
    // The limit of what may be streamed holds only for the answers that are not, so it is kept
    // here.
    parser->body_limit(streamed ? boost::none : boost::optional<std::uint64_t>(max_body_bytes));
    parser->eager(true);
    parser->skip(to_head);
  }

  bool GivesPieces() const {
    return streamed && parser->is_header_done() && parser->get().result_int() / 100 == 2;
  }

  bool TooLarge() const {
    return streamed && !GivesPieces() && parser->get().body().size() > max_body_bytes;
  }

  /// As RequestParser's: what Beast cannot take yet is bounded nowhere else.
  bool FramingTooLarge() const { return buffer.size() > max_header_bytes; }

  /// Names the sizes: what came is not kept, and nobody could find them out.
  absl::Status TooLargeError() const {
    const auto length = parser->content_length();
    if (!length || *length <= max_body_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the answer is too large: more than ", max_body_bytes, " bytes"));
    }
    return absl::ResourceExhaustedError(
        absl::StrCat("the answer is too large: ", *length, " bytes, of at most ", max_body_bytes));
  }

  absl::Status ToStatus(const error_code& ec) const {
    if (ec == beast::http::error::header_limit) {
      return absl::ResourceExhaustedError("the header of the answer is too large");
    }
    if (ec == beast::http::error::body_limit) {
      return TooLargeError();
    }
    if (ec == beast::http::error::partial_message) {
      return absl::DataLossError("the answer was cut off");
    }
    return absl::DataLossError(absl::StrCat("malformed answer: ", ec.message()));
  }

  bool to_head = false;
  bool streamed = false;
  std::uint32_t max_header_bytes = 0;
  std::size_t max_body_bytes = 0;
  std::size_t read_size = kReadSize;
  beast::flat_buffer buffer;
  std::optional<Parser> parser;
};

ResponseParser::ResponseParser(bool to_head, std::uint32_t max_header_bytes,
                               std::size_t max_body_bytes, bool streamed)
    : impl_(std::make_unique<Impl>()) {
  impl_->to_head = to_head;
  impl_->streamed = streamed;
  impl_->max_header_bytes = max_header_bytes;
  impl_->max_body_bytes = max_body_bytes;
  impl_->Restart();
}

ResponseParser::~ResponseParser() = default;

std::span<char> ResponseParser::Prepare() { return PrepareIn(impl_->buffer, impl_->read_size); }

absl::Status ResponseParser::Commit(std::size_t size) {
  error_code ec;
  // Its memory serves again.
  if (impl_->GivesPieces()) impl_->parser->get().body().clear();
  if (size == 0) {
    if (!impl_->parser->got_some()) {
      return absl::UnavailableError("the connection was closed before the answer");
    }
    impl_->parser->put_eof(ec);
    return ec ? impl_->ToStatus(ec) : absl::OkStatus();
  }
  impl_->buffer.commit(size);
  if (size >= impl_->read_size) impl_->read_size = kLargeReadSize;
  while (!impl_->parser->is_done() && impl_->buffer.size() > 0) {
    if (IsTooLittle(*impl_->parser, impl_->buffer)) break;
    const std::size_t used = impl_->parser->put(impl_->buffer.data(), ec);
    impl_->buffer.consume(used);
    if (ec == beast::http::error::need_more) break;
    if (ec) return impl_->ToStatus(ec);
    if (impl_->TooLarge()) return impl_->TooLargeError();
    const unsigned status = impl_->parser->get().result_int();
    if (impl_->parser->is_header_done() && status < 100) {
      return absl::DataLossError("malformed answer: a status below 100");
    }
    if (!impl_->parser->is_done()) continue;
    if (status == 101) return absl::DataLossError("malformed answer: unasked switch of protocol");
    if (status >= 100 && status < 200) impl_->Restart();
  }
  if (!impl_->parser->is_done() && impl_->FramingTooLarge()) {
    return absl::ResourceExhaustedError("the answer is too large");
  }
  return absl::OkStatus();
}

std::string_view ResponseParser::piece() const {
  return impl_->GivesPieces() ? std::string_view(impl_->parser->get().body()) : std::string_view();
}

bool ResponseParser::done() const { return impl_->parser->is_done(); }

bool ResponseParser::reusable() const {
  return impl_->parser->keep_alive() && impl_->buffer.size() == 0;
}

Response ResponseParser::Take() {
  const bool gave_pieces = impl_->GivesPieces();
  auto message = impl_->parser->release();
  Response response;
  response.status = static_cast<int>(message.result_int());
  response.headers = TakeHeaders<false>(message);
  if (!gave_pieces) response.body = std::move(message.body());
  return response;
}

}  // namespace tollbridge::http
