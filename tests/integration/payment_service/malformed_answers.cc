#include "tests/integration/payment_service/malformed_answers.h"

#include <cstddef>
#include <stdexcept>
#include <utility>

#include <zlib.h>

#include "services/domain/errors.h"

namespace tollbridge::test {
namespace {

// Of 10 MiB and a byte more: both longer than what is read from a socket, 8 MiB.
constexpr std::size_t kTenMebibytes = std::size_t{10} << 20;

const std::string kErrorObject =
    R"({"status":422,"type":"ValidationError","value":"4111111111111111"})";
const std::string kPage = "<html><body>4111111111111111: bad gateway</body></html>";

std::vector<Bytes> Answers(const std::vector<std::string>& bodies) {
  std::vector<Bytes> answers;
  for (const std::string& body : bodies) answers.push_back(HttpAnswer(200, body));
  return answers;
}

/// The good answer with a member more, before the others; of a list, an element more.
std::string With(const EndpointCall& endpoint, const std::string& name, const std::string& value) {
  const std::string front = endpoint.good.substr(0, 1);
  const std::string rest = endpoint.good.substr(1);
  return front == "{" ? "{\"" + name + "\":" + value + "," + rest : "[" + value + "," + rest;
}

std::vector<Bytes> Truncated(const EndpointCall& endpoint) {
  const std::string& good = endpoint.good;
  std::vector<std::string> bodies = {good.substr(0, 1), good.substr(0, good.size() / 2)};
  // A report that ends with a whole row is only found out by the number of its rows.
  if (!IsReport(endpoint)) bodies.push_back(good.substr(0, good.size() - 1));
  return Answers(bodies);
}

std::vector<Bytes> WrongTypes(const EndpointCall& endpoint) {
  return Answers(endpoint.wrong_types);
}

std::vector<Bytes> ErrorObject(const EndpointCall& endpoint) {
  std::vector<std::string> bodies = {R"({"error":)" + kErrorObject + "}"};
  if (endpoint.good.starts_with("{")) bodies.push_back(With(endpoint, "error", kErrorObject));
  return Answers(bodies);
}

std::vector<Bytes> ProxyPage(const EndpointCall& /*endpoint*/) {
  return {HttpAnswer(200, kPage, "Content-Type: text/html\r\n")};
}

std::vector<Bytes> ProxyError(const EndpointCall& /*endpoint*/) {
  return {HttpAnswer(502, kPage, "Content-Type: text/html\r\n")};
}

std::vector<Bytes> Redirect(const EndpointCall& endpoint) {
  return {HttpAnswer(302, endpoint.good, "Location: http://other.example/\r\n")};
}

std::vector<Bytes> Gzip(const EndpointCall& endpoint) {
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib does not start");
  }
  std::string plain = endpoint.good;
  std::string packed(plain.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int ended = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) throw std::runtime_error("zlib does not end");
  return {HttpAnswer(200, packed, "Content-Encoding: gzip\r\n")};
}

/// White space behind it, so that all that is wrong with it is its length.
std::string PaddedTo(const EndpointCall& endpoint, std::size_t size) {
  return endpoint.good + std::string(size - endpoint.good.size(), ' ');
}

std::vector<Bytes> TenMebibytes(const EndpointCall& endpoint) {
  return Answers({PaddedTo(endpoint, kTenMebibytes)});
}

std::vector<Bytes> MoreThanTenMebibytes(const EndpointCall& endpoint) {
  // A report has no greatest length.
  if (IsReport(endpoint)) return {};
  return Answers({PaddedTo(endpoint, kTenMebibytes + 1)});
}

std::vector<Bytes> Empty(const EndpointCall& /*endpoint*/) {
  return {HttpAnswer(200, ""), HttpAnswer(201, " \r\n"), {.bytes = "HTTP/1.1 204 X\r\n\r\n"}};
}

std::vector<Bytes> NotUtf8(const EndpointCall& endpoint) {
  if (IsReport(endpoint)) return Answers({"id,amount\r\n\xff\xfe,1250\r\n"});
  return Answers({With(endpoint, "note", "\"\xff\""), With(endpoint, "note", "\"\xed\xa0\x80\""),
                  With(endpoint, "note", R"("\ud800")")});
}

std::vector<Bytes> DeepNesting(const EndpointCall& endpoint) {
  constexpr std::size_t kLevels = 100'000;
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  return Answers({IsReport(endpoint) ? deep : With(endpoint, "deep", deep)});
}

/// The last of them counts (codec.h): what was said before it is not guessed at.
std::vector<Bytes> DuplicateKeys(const EndpointCall& endpoint) {
  if (IsReport(endpoint)) {
    return Answers({"id,id\r\n,5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10\r\n"});
  }
  const std::size_t end = endpoint.good.rfind('}');
  if (end == std::string::npos) return {};
  const std::string name = ",\"" + endpoint.main_field + "\":";
  std::vector<std::string> values = {"[]", "null"};
  // A page without orders is one, also where none are named.
  if (endpoint.main_field == "orders") values = {"{}", "7.5e300"};
  std::vector<std::string> bodies;
  for (const std::string& value : values) {
    bodies.push_back(endpoint.good.substr(0, end) + name + value + endpoint.good.substr(end));
  }
  return Answers(bodies);
}

/// `shown` in place of the length that the body has.
Bytes WithLength(const std::string& body, std::size_t shown) {
  return {.bytes =
              "HTTP/1.1 200 X\r\nContent-Length: " + std::to_string(shown) + "\r\n\r\n" + body};
}

std::vector<Bytes> LengthTooSmall(const EndpointCall& endpoint) {
  return {WithLength(endpoint.good, endpoint.good.size() / 2), WithLength(endpoint.good, 1)};
}

std::vector<Bytes> LengthTooLarge(const EndpointCall& endpoint) {
  Bytes answer = WithLength(endpoint.good, endpoint.good.size() + 1);
  answer.close = true;
  return {std::move(answer)};
}

std::vector<Bytes> CutOffChunk(const EndpointCall& endpoint) {
  return {{.bytes = "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n" + endpoint.good,
           .close = true}};
}

std::vector<Bytes> NoHttp(const EndpointCall& endpoint) {
  return {{.bytes = endpoint.good + "\r\n\r\n", .close = true},
          {.bytes = "HTTP/1.1 999999 X\r\n\r\n", .close = true},
          {.bytes = "HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n" + endpoint.good, .close = true},
          {.bytes = "", .close = true}};
}

}  // namespace

bool IsReport(const EndpointCall& endpoint) { return endpoint.name == "ReadReport"; }

const std::vector<Malformation>& Malformations() {
  using absl::StatusCode;
  constexpr StatusCode kNoRead = StatusCode::kInternal;
  constexpr StatusCode kNoAnswer = StatusCode::kUnavailable;
  constexpr std::string_view kUnreadable = domain::reason::kUpstreamUnreadable;
  constexpr std::string_view kUnavailable = domain::reason::kUpstreamUnavailable;
  static const std::vector<Malformation> all = {
      {"TruncatedBody", &Truncated, kNoRead, kUnreadable},
      {"WrongTypes", &WrongTypes, kNoRead, kUnreadable},
      {"SuccessWithErrorObject", &ErrorObject, kNoRead, kUnreadable},
      {"PageOfAProxy", &ProxyPage, kNoRead, kUnreadable},
      {"BadGatewayOfAProxy", &ProxyError, kNoAnswer, kUnavailable},
      {"Redirect", &Redirect, kNoAnswer, kUnreadable},
      {"GzipUnasked", &Gzip, kNoRead, kUnreadable},
      {"TenMebibytes", &TenMebibytes, kNoRead, kUnreadable},
      {"MoreThanTenMebibytes", &MoreThanTenMebibytes, kNoRead, kUnreadable, true},
      {"EmptyBody", &Empty, kNoRead, kUnreadable},
      {"NotUtf8", &NotUtf8, kNoRead, kUnreadable},
      {"DeepNesting", &DeepNesting, kNoRead, kUnreadable},
      {"DuplicateKeys", &DuplicateKeys, kNoRead, kUnreadable},
      {"LengthTooSmall", &LengthTooSmall, kNoRead, kUnreadable, true},
      {"LengthTooLarge", &LengthTooLarge, kNoAnswer, kUnavailable, true},
      {"CutOffChunk", &CutOffChunk, kNoAnswer, kUnavailable, true},
      {"NoHttp", &NoHttp, kNoAnswer, kUnavailable, true},
  };
  return all;
}

}  // namespace tollbridge::test
