#include "base/config/yaml_text.h"

#include <cstddef>

#include <absl/strings/str_cat.h>

namespace tollbridge::config {

const YAML::Node& AsYaml(const void* yaml) { return *static_cast<const YAML::Node*>(yaml); }

void Report(const YAML::Node& node, const std::string& path, std::string_view what,
            Problems* problems) {
  problems->push_back(
      absl::StrCat("line ", node.Mark().line + 1, ": ", path, ": ", std::string(what)));
}

std::string Quote(const std::string& text) {
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  return out.c_str();
}

void PrintComment(int indent, std::string_view text, std::string* out) {
  if (!text.empty())
    absl::StrAppend(out, std::string(static_cast<std::size_t>(indent), ' '), "# ",
                    std::string(text), "\n");
}

std::string Meaning(const SchemaNode& node, std::string_view kind) {
  return absl::StrCat(node.description(), " (", std::string(kind), ")");
}

boost::json::array Texts(const std::vector<std::string>& items) {
  return boost::json::array(items.begin(), items.end());
}

}  // namespace tollbridge::config
