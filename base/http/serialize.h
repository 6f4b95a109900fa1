#ifndef TOLLBRIDGE_BASE_HTTP_SERIALIZE_H_
#define TOLLBRIDGE_BASE_HTTP_SERIALIZE_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "base/http/message.h"
#include "base/http/url.h"

/// Writing messages for the wire. Internal to base/http.
namespace tollbridge::http {

/// The whole request as bytes. INVALID_ARGUMENT for a method, target or header that would not be
/// read back as it is (control characters, spaces), and for a header that the client writes itself.
absl::StatusOr<std::string> SerializeRequest(const Request& request, const Url& base_url,
                                             std::string_view user_agent);

/// How the answer to one request is framed.
struct ResponseFraming {
  bool to_head = false;
  bool http_1_1 = true;
  bool keep_alive = true;

  /// The body comes in pieces whose number is not known: chunked, or until the close for HTTP/1.0.
  bool Chunked(const Response& response) const {
    return static_cast<bool>(response.body_producer) && http_1_1;
  }
  /// The status and the request let the answer have a body at all.
  bool HasBody(const Response& response) const;
};

/// Status line and header fields, and the body unless it is streamed. INTERNAL for a field that
/// cannot be written.
absl::StatusOr<std::string> SerializeResponse(const Response& response,
                                              const ResponseFraming& framing);

/// One chunk of a chunked body; an empty one is the last.
std::string SerializeChunk(std::string_view data);

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_SERIALIZE_H_
