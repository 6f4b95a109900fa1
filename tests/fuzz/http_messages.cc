#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message.h"
#include "base/http/parsers.h"
#include "tests/fuzz/finding.h"

// Any bytes on a connection, as the HTTP server reads requests, and as the client reads the answer
// to one. The first byte of an input says which: 'Q' requests, 'A' the answer to a GET, 'H' to a
// HEAD, 'S' one whose body is streamed. However the bytes come apart, the same is read; and nothing
// is larger than its bound.

namespace tollbridge::fuzz {
namespace {

/// As long as an input: the header of a chunk may pass its bound by what one read brings.
constexpr std::uint32_t kMaxHeader = 16 * 1024;
constexpr std::size_t kMaxBody = 2048;
/// Pieces that a connection may come in.
constexpr std::size_t kPieces[] = {1, 2, 3, 7, 4096};

/// What was read of a connection.
struct Reading {
  /// One text a message.
  std::vector<std::string> messages;
  /// Why it went no further; 0: it was all read, or waits for more.
  int refused = 0;

  bool operator==(const Reading&) const = default;
};

std::string TextOf(const http::Headers& headers) {
  std::string text;
  std::size_t size = 0;
  for (const http::Headers::Field& field : headers) {
    text += field.name + ": " + field.value + "\n";
    size += field.name.size() + field.value.size();
  }
  if (size > kMaxHeader) Found("a header without a bound");
  return text;
}

/// Writes the bytes where the parser wants them; how many were taken.
template <typename Parser>
std::size_t Give(Parser& parser, std::string_view bytes) {
  const std::span<char> space = parser.Prepare();
  const std::size_t size = std::min(space.size(), bytes.size());
  std::memcpy(space.data(), bytes.data(), size);
  return size;
}

/// As the server does: goes on until it needs more.
void AdvanceAll(http::RequestParser& parser, Reading& reading) {
  using Progress = http::RequestParser::Progress;
  while (reading.refused == 0) {
    switch (parser.Advance()) {
      case Progress::kNeedMore:
        return;
      case Progress::kHeader:
        static_cast<void>(parser.expects_continue());
        continue;
      case Progress::kBad:
        reading.refused = parser.refusal().status;
        if (reading.refused < 400 || parser.refusal().reason.empty()) Found("a bad refusal");
        return;
      case Progress::kDone:
        break;
    }
    static_cast<void>(parser.keep_alive());
    const http::Request request = parser.Take();
    if (request.body.size() > kMaxBody) Found("a body without a bound");
    if (request.method.empty() || request.target.empty()) Found("a request without a line");
    reading.messages.push_back(request.method + " " + request.target + "\n" +
                               TextOf(request.headers) + "\n" + request.body);
  }
}

Reading ReadRequests(std::string_view bytes, std::size_t piece) {
  http::RequestParser parser(kMaxHeader, kMaxBody);
  Reading reading;
  while (!bytes.empty() && reading.refused == 0) {
    const std::size_t given = Give(parser, bytes.substr(0, piece));
    parser.Commit(given);
    bytes.remove_prefix(given);
    AdvanceAll(parser, reading);
  }
  return reading;
}

struct AnswerKind {
  bool to_head = false;
  bool streamed = false;
};

Reading ReadAnswer(std::string_view bytes, std::size_t piece, const AnswerKind& kind) {
  http::ResponseParser parser(kind.to_head, kMaxHeader, kMaxBody, kind.streamed);
  Reading reading;
  std::string body;
  for (bool ended = false; !ended && !parser.done();) {
    const std::size_t given = Give(parser, bytes.substr(0, piece));
    ended = given == 0;
    const absl::Status read = parser.Commit(given);
    body += parser.piece();
    if (!read.ok()) {
      if (read.message().empty()) Found("an error without a word");
      reading.refused = static_cast<int>(read.code());
      return reading;
    }
    bytes.remove_prefix(given);
    if (ended && !parser.done()) Found("the end of the stream ends no answer");
  }
  static_cast<void>(parser.reusable());
  http::Response response = parser.Take();
  if (response.status < 100 || response.status > 999) Found("a status that is none");
  if (response.body.size() > kMaxBody) Found("a body without a bound");
  if (kind.to_head && !(response.body + body).empty()) Found("a body of a HEAD");
  reading.messages.push_back(std::to_string(response.status) + "\n" + TextOf(response.headers) +
                             "\n" + response.body + body);
  return reading;
}

Reading Read(char what, std::string_view bytes, std::size_t piece) {
  if (what == 'Q') return ReadRequests(bytes, piece);
  return ReadAnswer(bytes, piece, {.to_head = what == 'H', .streamed = what == 'S'});
}

/// Whether it is refused in some pieces and not in others. In whatever pieces it comes, the same
/// messages are read.
bool RefusedInSomePieces(char what, std::string_view input) {
  const Reading whole = Read(what, input, input.size() + 1);
  bool differs = false;
  for (const std::size_t piece : kPieces) {
    const Reading again = Read(what, input, piece);
    if (again.messages != whole.messages) Found("other messages when it comes in other pieces");
    // How much was there when a bound was found to be passed decides which one it was.
    differs = differs || (again.refused == 0) != (whole.refused == 0);
  }
  return differs;
}

void Take(std::string_view input) {
  if (input.empty()) return;
  constexpr std::string_view kKinds = "QAHS";
  const char what = kKinds.find(input[0]) != std::string_view::npos
                        ? input[0]
                        : kKinds[static_cast<unsigned char>(input[0]) % kKinds.size()];
  input.remove_prefix(1);
  // Of a header that comes in pieces nothing is looked at before its end has come.
  if (RefusedInSomePieces(what, input) &&
      RefusedInSomePieces(what, std::string(input) + "\r\n\r\n")) {
    Found("refused only in some pieces");
  }
}

}  // namespace
}  // namespace tollbridge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tollbridge::fuzz::Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
