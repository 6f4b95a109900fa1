#include "sandbox/pages/html.h"

#include <algorithm>
#include <cstddef>

#include "base/core/text.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;--ink:#1b1b1f;--soft:#55555f;--paper:#fff;--line:#8a8a96;"
    "--accent:#1d4ed8;--on-accent:#fff;--bad:#b3161b;--bad-paper:#fdecec}"
    "@media(prefers-color-scheme:dark){:root{--ink:#ececf1;--soft:#b0b0bc;--paper:#17171b;"
    "--line:#7d7d8a;--accent:#93b4ff;--on-accent:#10131f;--bad:#ff9a9a;--bad-paper:#3a1a1c}}"
    "*{box-sizing:border-box}"
    "body{font:1.1rem/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:34rem;"
    "color:var(--ink);background:var(--paper);overflow-wrap:anywhere}"
    "body.wide{max-width:none}"
    "h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2rem}"
    "a{color:var(--accent)}"
    ".note,.hint{color:var(--soft);font-size:.95rem;margin:.25rem 0}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}"
    "dt{color:var(--soft)}dd{margin:0}"
    "fieldset{border:1px solid var(--line);border-radius:.5rem;margin:1rem 0}"
    "label{display:block;font-weight:600}"
    ".choice label{display:inline;font-weight:400}"
    "input[type=text]{font:inherit;color:inherit;background:transparent;width:100%;padding:.5rem;"
    "border:1px solid var(--line);border-radius:.35rem}"
    "input[aria-invalid=true]{border:2px solid var(--bad)}"
    ".error{color:var(--bad);font-weight:600;margin:.25rem 0}"
    "[role=alert]{border:2px solid var(--bad);background:var(--bad-paper);border-radius:.5rem;"
    "padding:.5rem 1rem}"
    "button{font:inherit;padding:.6rem 1.4rem;margin:0 .5rem .5rem 0;border-radius:.5rem;"
    "border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);cursor:pointer}"
    "button.quiet{background:transparent;color:var(--accent)}"
    ":focus-visible{outline:3px solid var(--accent);outline-offset:2px}"
    ".scroll{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:.95rem;overflow-wrap:normal}"
    "caption{text-align:left;color:var(--soft)}"
    "th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;"
    "border-bottom:1px solid var(--line);max-width:24rem;overflow-wrap:break-word}"
    "td.number,th.number{text-align:right;white-space:nowrap}"
    "td.id{font-family:ui-monospace,monospace;white-space:nowrap}";

// SHA-256 of the above: with it no other style can come in. A test computes it and says what it
// should be.
constexpr std::string_view kStyleHash = "sha256-kkLVzt82OLx0RXuumGMuhRNzEtAxPeNGHVy/xTRKzG4=";

/// Length of the UTF-8 character at the beginning of `text`; 0 when there is none.
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return follows(1) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool too_long = first == 0xE0U && byte(1) < 0xA0U;
    const bool surrogate = first == 0xEDU && byte(1) >= 0xA0U;
    return follows(1) && follows(2) && !too_long && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool too_long = first == 0xF0U && byte(1) < 0x90U;
    const bool too_large = first == 0xF4U && byte(1) >= 0x90U;
    return follows(1) && follows(2) && follows(3) && !too_long && !too_large ? 4 : 0;
  }
  return 0;
}

void AppendEscaped(std::string_view character, std::string* out) {
  switch (character.front()) {
    case '&':
      *out += "&amp;";
      return;
    case '<':
      *out += "&lt;";
      return;
    case '>':
      *out += "&gt;";
      return;
    case '"':
      *out += "&quot;";
      return;
    case '\'':
      *out += "&#39;";
      return;
    default: {
      const auto first = static_cast<unsigned char>(character.front());
      const bool blank = first == '\t' || first == '\n' || first == '\r';
      const bool control = (first < 0x20U && !blank) || first == 0x7FU;
      *out += control ? kReplacement : character;
    }
  }
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (length == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    AppendEscaped(text.substr(0, length), &out);
    text.remove_prefix(length);
  }
  return out;
}

std::string Shown(std::string_view text, std::size_t max_bytes) {
  const std::string_view beginning = Truncated(text, max_bytes);
  return "<bdi>" + EscapeHtml(beginning) + (beginning.size() < text.size() ? "&hellip;" : "") +
         "</bdi>";
}

http::Response Render(const Page& page) {
  http::Response response;
  response.status = page.status;
  response.headers.Set("Content-Type", "text/html; charset=utf-8");
  response.headers.Set("Cache-Control", "no-store");
  response.headers.Set("Content-Security-Policy",
                       "default-src 'none'; style-src '" + std::string(kStyleHash) +
                           "'; img-src data:; base-uri 'none'; frame-ancestors 'none'; "
                           "form-action " +
                           (page.forms_stay_here ? "'self'" : "http: https:"));
  response.headers.Set("X-Frame-Options", "DENY");
  response.headers.Set("X-Content-Type-Options", "nosniff");
  // Under no-referrer browsers send `Origin: null` with forms, by which a page that asks where a
  // form comes from cannot tell its own.
  response.headers.Set("Referrer-Policy", page.forms_stay_here ? "same-origin" : "no-referrer");
  const std::string title = EscapeHtml(page.title);
  std::string& body = response.body;
  body = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">";
  body += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
  if (page.refresh_seconds > 0) {
    body +=
        "<meta http-equiv=\"refresh\" content=\"" + std::to_string(page.refresh_seconds) + "\">";
  }
  // An empty icon, lest the browser asks for one.
  body += "<link rel=\"icon\" href=\"data:,\">";
  body += "<title>";
  if (page.status >= 400) body += "Error: ";
  body += title + "</title><style>" + std::string(kStyle) + "</style></head>";
  body += page.wide ? "<body class=\"wide\">" : "<body>";
  body += "<header><p class=\"note\">Sandbox: no money moves here.</p></header>";
  body += "<main><h1>" + title + "</h1>" + page.body + "</main></body></html>\n";
  return response;
}

http::Response SeeOther(std::string_view location) {
  http::Response response;
  response.status = 303;
  response.headers.Set("Location", location);
  response.headers.Set("Cache-Control", "no-store");
  response.headers.Set("Referrer-Policy", "no-referrer");
  return response;
}

std::string Alert(std::string_view id, std::string_view html) {
  return "<div role=\"alert\" id=\"" + std::string(id) + "\"><p>" + std::string(html) +
         "</p></div>";
}

std::string Link(std::string_view address, std::string_view text) {
  return "<a href=\"" + EscapeHtml(address) + "\">" + EscapeHtml(text) + "</a>";
}

bool IsWebAddress(std::string_view address) {
  const auto begins_with = [&](std::string_view scheme) {
    return http::EqualsIgnoreCase(address.substr(0, scheme.size()), scheme);
  };
  if (!begins_with("http://") && !begins_with("https://")) return false;
  return std::ranges::all_of(address, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20U && byte != 0x7FU;
  });
}

}  // namespace tollbridge::sandbox
