#ifndef TOLLBRIDGE_SANDBOX_PAGES_HTML_H_
#define TOLLBRIDGE_SANDBOX_PAGES_HTML_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "base/http/message.h"

/// The one look of all pages: plain HTML that works without scripts and asks for nothing else.
namespace tollbridge::sandbox {

/// Text made safe for element content and quoted attribute values. What is not UTF-8, and control
/// characters, become U+FFFD.
std::string EscapeHtml(std::string_view text);

inline constexpr std::size_t kMaxShownBytes = 400;

/// A text from outside, fit to be shown: escaped, cut to a length that a person reads, and set
/// apart so that its writing direction cannot turn round what stands beside it.
std::string Shown(std::string_view text, std::size_t max_bytes = kMaxShownBytes);

struct Page {
  /// Plain text: the heading, and the title of the window.
  std::string title;
  /// HTML.
  std::string body;
  int status = 200;
  /// After how many seconds the browser asks again; 0: never.
  int refresh_seconds = 0;
  /// For tables: as wide as the window.
  bool wide = false;
  /// Whether forms stay on this server. The hosted pages send the customer on to the shop, and
  /// browsers hold a form's redirects against form-action as well.
  bool forms_stay_here = false;
};

/// The page with the headers that keep it out of frames, caches and referrers.
http::Response Render(const Page& page);

/// 303: the browser asks for the location with GET.
http::Response SeeOther(std::string_view location);

/// A message that a screen reader says at once. `html` is HTML.
std::string Alert(std::string_view id, std::string_view html);

/// A link. Both are plain text; the address must be one of ours, or went through IsWebAddress.
std::string Link(std::string_view address, std::string_view text);

/// Whether a browser can be sent there: http or https, no blanks and control characters.
/// `javascript:` and a line break that would begin another header are not.
bool IsWebAddress(std::string_view address);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_HTML_H_
