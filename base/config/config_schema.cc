#include "base/config/config_schema.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <utility>

#include <yaml-cpp/yaml.h>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "base/config/pretty_json.h"
#include "base/config/yaml_text.h"
#include "base/core/text.h"

namespace tollbridge::config {

Section& Section::Sub(std::string name, std::string description) {
  auto section = std::make_unique<Section>(std::move(name), std::move(description));
  Section& out = *section;
  children_.push_back(std::move(section));
  return out;
}

void Section::Read(const void* yaml, const std::string& path, Problems* problems) {
  const YAML::Node& node = AsYaml(yaml);
  if (node.IsNull()) return;
  if (!node.IsMap())
    return Report(node, path.empty() ? "the document" : path, "must be a map of settings",
                  problems);
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const std::string child_path = path.empty() ? key : absl::StrCat(path, ".", key);
    if (!seen.insert(key).second) {
      Report(entry.first, child_path, "is given twice", problems);
      continue;
    }
    const auto child = std::find_if(children_.begin(), children_.end(),
                                    [&](const auto& node_ptr) { return node_ptr->name() == key; });
    if (child != children_.end()) {
      (*child)->Read(&entry.second, child_path, problems);
      continue;
    }
    std::vector<std::string> known;
    for (const auto& node_ptr : children_) known.push_back(node_ptr->name());
    const std::string nearest = NearestName(key, known);
    Report(entry.first, child_path,
           nearest.empty()
               ? absl::StrCat("is not a setting; known here: ", absl::StrJoin(known, ", "))
               : absl::StrCat("is not a setting; did you mean '", nearest, "'?"),
           problems);
  }
}

void Section::Print(int indent, bool comments, std::string* out) const {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  int inner = indent;
  if (!name().empty()) {
    if (comments) {
      if (!out->empty() && indent == 0) absl::StrAppend(out, "\n");
      PrintComment(indent, description(), out);
    }
    absl::StrAppend(out, pad, name(), ":\n");
    inner += 2;
  }
  for (const auto& child : children_) child->Print(inner, comments, out);
}

boost::json::object Section::JsonSchema() const {
  boost::json::object properties;
  for (const auto& child : children_) properties[child->name()] = child->JsonSchema();
  boost::json::object schema;
  if (!description().empty()) schema["description"] = description();
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  schema["properties"] = std::move(properties);
  return schema;
}

std::string PrintJsonSchema(const Section& root, std::string_view title) {
  boost::json::object schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                             {"title", std::string(title)}};
  for (auto& [key, value] : root.JsonSchema()) schema[key] = value;
  return PrettyJson(schema);
}

absl::Status ReadYaml(std::string_view text, Section& root) {
  YAML::Node document;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) {
      return absl::InvalidArgumentError("there is more than one YAML document");
    }
    if (!documents.empty()) document = documents.front();
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("line ", error.mark.line + 1, ": not YAML: ", error.msg));
  }
  Problems problems;
  root.Read(&document, "", &problems);
  if (problems.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
}

}  // namespace tollbridge::config
