#ifndef TOLLBRIDGE_BASE_CONFIG_YAML_TEXT_H_
#define TOLLBRIDGE_BASE_CONFIG_YAML_TEXT_H_

#include <boost/json/array.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "base/config/config_schema.h"

/// What all settings read and print with. Internal to base/config.
namespace tollbridge::config {

using Problems = std::vector<std::string>;

/// The pattern of what ParseDuration reads.
inline constexpr char kDurationPattern[] = "^[0-9]+(d|h|m|s|ms)$";

const YAML::Node& AsYaml(const void* yaml);

/// Appends `line N: path: what`.
void Report(const YAML::Node& node, const std::string& path, std::string_view what,
            Problems* problems);

/// A text in YAML's double quotes.
std::string Quote(const std::string& text);

/// Writes a line with `text` as a comment; nothing when it is empty.
void PrintComment(int indent, std::string_view text, std::string* out);

/// What an editor shows: the description, and in words what a value must be.
std::string Meaning(const SchemaNode& node, std::string_view kind);

boost::json::array Texts(const std::vector<std::string>& items);

}  // namespace tollbridge::config

#endif  // TOLLBRIDGE_BASE_CONFIG_YAML_TEXT_H_
