#include "tests/unit/sandbox/pages/html_check.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

namespace tollbridge::sandbox {
namespace {

struct Tag {
  std::string name;
  bool closes = false;
  std::map<std::string, std::string> attributes;

  std::string Attribute(const std::string& wanted) const {
    const auto found = attributes.find(wanted);
    return found == attributes.end() ? "" : found->second;
  }
};

/// Takes the tag that begins at the front of `rest`.
Tag TakeTag(std::string_view* rest) {
  Tag tag;
  rest->remove_prefix(1);
  if (rest->starts_with('/')) {
    tag.closes = true;
    rest->remove_prefix(1);
  }
  const std::size_t name_end = std::min(rest->find_first_of(" >"), rest->size());
  tag.name = rest->substr(0, name_end);
  rest->remove_prefix(name_end);
  while (!rest->empty() && rest->front() != '>') {
    rest->remove_prefix(1);  // ' '
    const std::size_t end = std::min(rest->find_first_of("=> "), rest->size());
    const std::string attribute(rest->substr(0, end));
    rest->remove_prefix(end);
    std::string value;
    if (rest->starts_with("=\"")) {
      rest->remove_prefix(2);
      const std::size_t quote = std::min(rest->find('"'), rest->size());
      value = rest->substr(0, quote);
      rest->remove_prefix(std::min(quote + 1, rest->size()));
    }
    tag.attributes[attribute] = value;
  }
  if (!rest->empty()) rest->remove_prefix(1);
  return tag;
}

bool IsVoid(const std::string& name) {
  static const std::set<std::string> names = {"!doctype", "meta", "link", "input", "br"};
  return names.contains(name);
}

class Checker {
 public:
  std::vector<std::string> Check(std::string_view html) {
    if (!html.starts_with("<!doctype html>")) Fault("no doctype");
    while (true) {
      const std::size_t begin = html.find('<');
      if (begin == std::string_view::npos) break;
      html.remove_prefix(begin);
      See(TakeTag(&html));
      // What stands in <style> is no markup.
      if (!open_.empty() && open_.back() == "style") {
        html.remove_prefix(std::min(html.find("</style>"), html.size()));
      }
    }
    if (!open_.empty()) Fault("not closed: " + open_.back());
    if (headings_ != 1) Fault(std::to_string(headings_) + " h1");
    if (language_.empty()) Fault("no lang");
    for (const std::string& id : fields_) {
      if (!labels_.contains(id)) Fault("no label for the field '" + id + "'");
    }
    for (const std::string& id : references_) {
      if (!ids_.contains(id)) Fault("nothing has the id '" + id + "'");
    }
    return faults_;
  }

 private:
  void Fault(std::string what) { faults_.push_back(std::move(what)); }

  void See(const Tag& tag) {
    if (tag.closes) {
      if (open_.empty() || open_.back() != tag.name) {
        Fault("closed but not open: " + tag.name);
      } else {
        open_.pop_back();
      }
      return;
    }
    static const std::set<std::string> known = {
        "!doctype", "html",    "head",     "meta",   "link",  "title",  "style", "body",
        "header",   "main",    "h1",       "h2",     "h3",    "p",      "a",     "form",
        "div",      "span",    "fieldset", "legend", "label", "input",  "ul",    "li",
        "dl",       "dt",      "dd",       "button", "bdi",   "strong", "table", "thead",
        "tbody",    "caption", "tr",       "th",     "td"};
    if (!known.contains(tag.name)) Fault("no page of ours has a tag '" + tag.name + "'");
    SeeAttributes(tag);
    if (!IsVoid(tag.name)) open_.push_back(tag.name);
  }

  void SeeAttributes(const Tag& tag) {
    if (tag.name == "h1") ++headings_;
    if (tag.name == "html") language_ = tag.Attribute("lang");
    if (tag.name == "input") fields_.push_back(tag.Attribute("id"));
    if (tag.name == "label") labels_.insert(tag.Attribute("for"));
    if (const std::string id = tag.Attribute("id"); !id.empty() && !ids_.insert(id).second) {
      Fault("not the only one with the id '" + id + "'");
    }
    for (const auto& [name, value] : tag.attributes) {
      if (name.starts_with("on") || name == "style" || name == "src") Fault("attribute " + name);
    }
    std::istringstream described(tag.Attribute("aria-describedby"));
    for (std::string id; described >> id;) references_.push_back(id);
    const std::string href = tag.Attribute("href");
    if (href.starts_with('#')) references_.push_back(href.substr(1));
    if (tag.name == "link" && href != "data:,") Fault("loads " + href);
    if (tag.name == "a" && !href.starts_with("http://") && !href.starts_with("https://") &&
        !href.starts_with('#') && !href.starts_with('/')) {
      Fault("leads to " + href);
    }
    if (tag.name == "a" && href.starts_with("//")) Fault("leads to " + href);
  }

  std::vector<std::string> faults_;
  std::vector<std::string> open_;
  std::vector<std::string> fields_;
  std::vector<std::string> references_;
  std::set<std::string> labels_;
  std::set<std::string> ids_;
  std::string language_;
  int headings_ = 0;
};

}  // namespace

std::vector<std::string> FaultsOf(std::string_view html) { return Checker().Check(html); }

}  // namespace tollbridge::sandbox
