#ifndef TOLLBRIDGE_BASE_HTTP_MESSAGE_H_
#define TOLLBRIDGE_BASE_HTTP_MESSAGE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/async.h"

namespace tollbridge::http {

/// Header fields in the order they were added. Names compare without case; a name may occur again.
class Headers {
 public:
  struct Field {
    std::string name;
    std::string value;
  };

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  /// Adds a field, keeping any of the same name.
  void Add(std::string_view name, std::string_view value);
  /// Adds a field in place of all of the same name.
  void Set(std::string_view name, std::string_view value);
  /// Removes all fields of the name.
  void Remove(std::string_view name);
  /// The first value of the name. The view lives until the headers change.
  std::optional<std::string_view> Find(std::string_view name) const;
  /// All values of the name, in order.
  std::vector<std::string_view> FindAll(std::string_view name) const;
  bool Contains(std::string_view name) const { return Find(name).has_value(); }

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<Field> fields_;
};

/// Whether two header names or tokens are equal but for ASCII case.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

/// Whether a client can send the field: it would be read back as it is (a token, no control
/// characters), and is none of those that the client writes itself.
bool CanBeSent(const Headers::Field& field);

/// A request. As client: `target` is path and query, starting with '/'; Host, Content-Length and
/// Connection are written by the client and may not be set. As server: `target` as it came, body
/// whole and unchunked.
struct Request {
  std::string method = "GET";
  std::string target = "/";
  Headers headers;
  std::string body;
};

/// Gives the next piece of a streamed body; an empty string ends it. An error aborts the
/// connection, so that the peer sees a truncated body and not a short one. Called from the
/// connection's coroutine, one call at a time; destroyed with the response.
using BodyProducer = std::function<Async<std::string>()>;

/// A response. Content-Length, Transfer-Encoding and Connection are written by the server; a
/// handler may set "Connection: close".
struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  /// Server only: streams the body (chunked) in place of `body`.
  BodyProducer body_producer;
  /// Server only, a fault for tests and the sandbox: the connection is reset (linger 0) when this
  /// many bytes of the serialized response were written. 0 = not one byte is answered.
  std::optional<std::size_t> reset_after_bytes;
};

/// "Not Found" for 404, and so on; "Unknown" for a number that has no registered phrase.
std::string_view ReasonPhrase(int status);

}  // namespace tollbridge::http

#endif  // TOLLBRIDGE_BASE_HTTP_MESSAGE_H_
