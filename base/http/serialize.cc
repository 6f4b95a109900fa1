#include "base/http/serialize.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>

namespace tollbridge::http {
namespace {

constexpr std::size_t kTypicalHeaderSize = 512;

bool IsTokenCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsTokenCharacter);
}

bool IsFieldValue(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

bool IsTarget(std::string_view text) {
  return text.starts_with('/') && std::ranges::all_of(text, [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte > 0x20 && byte < 0x7f;
         });
}

bool WrittenByUs(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "Host", "Content-Length", "Transfer-Encoding", "Connection", "User-Agent"};
  return std::ranges::any_of(kNames,
                             [name](std::string_view n) { return EqualsIgnoreCase(n, name); });
}

bool UsuallyHasBody(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

}  // namespace

bool CanBeSent(const Headers::Field& field) {
  return IsToken(field.name) && IsFieldValue(field.value) && !WrittenByUs(field.name);
}

absl::StatusOr<std::string> SerializeRequest(const Request& request, const Url& base_url,
                                             std::string_view user_agent) {
  if (!IsToken(request.method)) return absl::InvalidArgumentError("the method is not a token");
  if (!IsTarget(request.target)) {
    return absl::InvalidArgumentError("the target does not start with '/' or is not encoded");
  }
  std::string out;
  out.reserve(kTypicalHeaderSize + request.body.size());
  absl::StrAppend(&out, request.method, " ", base_url.path, request.target,
                  " HTTP/1.1\r\nHost: ", base_url.Authority(), "\r\nUser-Agent: ");
  out.append(user_agent).append("\r\n");
  for (const Headers::Field& field : request.headers) {
    if (!CanBeSent(field)) {
      return absl::InvalidArgumentError(absl::StrCat("a header that may not be set: ", field.name));
    }
    absl::StrAppend(&out, field.name, ": ", field.value, "\r\n");
  }
  if (!request.body.empty() || UsuallyHasBody(request.method)) {
    absl::StrAppend(&out, "Content-Length: ", request.body.size(), "\r\n");
  }
  absl::StrAppend(&out, "\r\n", request.body);
  return out;
}

bool ResponseFraming::HasBody(const Response& response) const {
  return !to_head && response.status >= 200 && response.status != 204 && response.status != 304;
}

absl::StatusOr<std::string> SerializeResponse(const Response& response,
                                              const ResponseFraming& framing) {
  std::string out;
  out.reserve(kTypicalHeaderSize + response.body.size());
  absl::StrAppend(&out, "HTTP/1.1 ", response.status, " ");
  out.append(ReasonPhrase(response.status)).append("\r\n");
  for (const Headers::Field& field : response.headers) {
    if (!IsToken(field.name) || !IsFieldValue(field.value)) {
      return absl::InternalError(absl::StrCat("a header that cannot be written: ", field.name));
    }
    if (WrittenByUs(field.name)) continue;
    absl::StrAppend(&out, field.name, ": ", field.value, "\r\n");
  }
  const bool body_allowed =
      response.status >= 200 && response.status != 204 && response.status != 304;
  if (response.body_producer) {
    if (framing.Chunked(response) && body_allowed) out.append("Transfer-Encoding: chunked\r\n");
  } else if (body_allowed) {
    absl::StrAppend(&out, "Content-Length: ", response.body.size(), "\r\n");
  }
  if (!framing.keep_alive) {
    out.append("Connection: close\r\n");
  } else if (!framing.http_1_1) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
  if (framing.HasBody(response) && !response.body_producer) out.append(response.body);
  return out;
}

std::string SerializeChunk(std::string_view data) {
  std::string out = absl::StrCat(absl::Hex(data.size()), "\r\n");
  out.append(data).append("\r\n");
  return out;
}

}  // namespace tollbridge::http
