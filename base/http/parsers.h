#ifndef TOLLBRIDGE_BASE_HTTP_PARSERS_H_
#define TOLLBRIDGE_BASE_HTTP_PARSERS_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/http/message.h"

/// Reading messages off the wire, on Beast's parsers. Internal to base/http.
namespace tollbridge::http {

/// Reads the requests of one connection, one after the other. What came behind a request stays for
/// the next.
class RequestParser {
 public:
  enum class Progress { kNeedMore, kHeader, kDone, kBad };
  /// Why a request is bad: the status to answer, and a constant that says more.
  struct Refusal {
    int status = 400;
    std::string reason;
  };

  RequestParser(std::uint32_t max_header_bytes, std::size_t max_body_bytes);
  ~RequestParser();

  /// Returns where to read to next; then Commit what was read.
  std::span<char> Prepare();
  void Commit(std::size_t size);
  /// Goes on with what is there. kHeader is told once a request, when its header is whole and its
  /// body not yet.
  Progress Advance();

  /// Goes on to the end of a request that is there whole, and is neither bad nor wants to be told
  /// to continue. Whether it is; Advance() goes on if not, and tells of kHeader even so.
  bool AdvanceToEnd();

  /// Nothing of the next request is there.
  bool empty() const;
  /// Says with kBad why the request was refused.
  const Refusal& refusal() const;
  /// Says from kHeader on whether the client waits for 100 Continue before it sends the body.
  bool expects_continue() const;
  /// Says from kHeader on whether the client wants the connection kept, and is HTTP/1.1 or newer.
  bool keep_alive() const;
  bool http_1_1() const;

  /// Gives the request with kDone; the parser is ready for the next.
  Request Take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads the response to one request, skipping interim ones.
class ResponseParser {
 public:
  /// `streamed`: the body of a 2xx answer is taken piece by piece and has no limit.
  ResponseParser(bool to_head, std::uint32_t max_header_bytes, std::size_t max_body_bytes,
                 bool streamed);
  ~ResponseParser();

  std::span<char> Prepare();
  /// `size` 0 = the peer ended the stream. DATA_LOSS for what is malformed or cut off,
  /// RESOURCE_EXHAUSTED for what is too large, UNAVAILABLE for an end before the first byte.
  absl::Status Commit(std::size_t size);
  /// What came of a streamed body with the last Commit, until the next; empty for other answers.
  std::string_view piece() const;
  bool done() const;
  /// Says with done() whether the connection may carry another exchange.
  bool reusable() const;
  /// Without the body that was taken piece by piece.
  Response Take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_PARSERS_H_
