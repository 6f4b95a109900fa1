#include "services/sandbox/html.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kStyle =
    "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;"
    "color:#1b1b1f;background:#fff}dl{display:grid;grid-template-columns:max-content 1fr;"
    "gap:.25rem 1rem}dt{color:#55555f}dd{margin:0}fieldset{border:1px solid #c9c9d2;"
    "border-radius:.5rem}button{font:inherit;padding:.5rem 1.5rem;border-radius:.5rem;"
    "border:1px solid #1b1b1f;background:#1b1b1f;color:#fff;cursor:pointer}"
    "button.quiet{background:#fff;color:#1b1b1f}button:focus-visible,input:focus-visible"
    "{outline:3px solid #2b6cb0;outline-offset:2px}";

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

http::Response HtmlResponse(int status, std::string_view title, std::string_view body) {
  http::Response response;
  response.status = status;
  response.headers.Set("Content-Type", "text/html; charset=utf-8");
  response.headers.Set("Cache-Control", "no-store");
  const std::string escaped = EscapeHtml(title);
  response.body = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">";
  response.body += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
  response.body +=
      "<title>" + escaped + "</title><style>" + std::string(kStyle) + "</style></head>";
  response.body += "<body><main><h1>" + escaped + "</h1>" + std::string(body);
  response.body += "</main></body></html>\n";
  return response;
}

}  // namespace tollbridge::sandbox
