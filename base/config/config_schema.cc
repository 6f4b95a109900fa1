#include "base/config/config_schema.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <set>
#include <utility>

#include <yaml-cpp/yaml.h>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "base/config/pretty_json.h"
#include "base/core/text.h"

namespace tollbridge::gateway {
namespace {

using Problems = std::vector<std::string>;

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

/// What an editor shows: the description, and in words what a value must be.
std::string Meaning(const SchemaNode& node, std::string_view kind) {
  return absl::StrCat(node.description(), " (", std::string(kind), ")");
}

/// As ParseDuration reads it.
constexpr char kDurationPattern[] = "^[0-9]+(d|h|m|s|ms)$";

boost::json::array Texts(const std::vector<std::string>& items) {
  return boost::json::array(items.begin(), items.end());
}

/// A setting with one value: subclasses say how it reads and prints.
class Scalar : public SchemaNode {
 public:
  using SchemaNode::SchemaNode;

  void Read(const void* yaml, const std::string& path, Problems* problems) override {
    const YAML::Node& node = AsYaml(yaml);
    if (!node.IsScalar()) return Report(node, path, absl::StrCat("must be ", Kind()), problems);
    if (!Parse(node.Scalar())) Report(node, path, absl::StrCat("must be ", Kind()), problems);
  }

  void Print(int indent, bool comments, std::string* out) const override {
    if (comments) PrintComment(indent, absl::StrCat(description(), " (", Kind(), ")"), out);
    absl::StrAppend(out, std::string(static_cast<std::size_t>(indent), ' '), name(), ": ", Format(),
                    "\n");
  }

  boost::json::object JsonSchema() const override {
    boost::json::object schema{{"description", Meaning(*this, Kind())}};
    Constrain(&schema);
    return schema;
  }

 private:
  /// Adds type, bounds and default.
  virtual void Constrain(boost::json::object* schema) const = 0;
  /// What a value must be, with bounds, in words.
  virtual std::string Kind() const = 0;
  virtual bool Parse(const std::string& text) = 0;
  virtual std::string Format() const = 0;
};

class TextSetting : public Scalar {
 public:
  TextSetting(std::string name, std::string description, std::string* target)
      : Scalar(std::move(name), std::move(description)), target_(target) {}

 private:
  std::string Kind() const override { return "a text"; }
  bool Parse(const std::string& text) override {
    *target_ = text;
    return true;
  }
  std::string Format() const override { return Quote(*target_); }
  void Constrain(boost::json::object* schema) const override {
    (*schema)["type"] = "string";
    (*schema)["default"] = *target_;
  }
  std::string* target_;
};

class ChoiceSetting : public Scalar {
 public:
  ChoiceSetting(std::string name, std::string description, std::string* target,
                std::vector<std::string> choices)
      : Scalar(std::move(name), std::move(description)),
        target_(target),
        choices_(std::move(choices)) {}

 private:
  std::string Kind() const override {
    return absl::StrCat("one of ", absl::StrJoin(choices_, ", "));
  }
  bool Parse(const std::string& text) override {
    if (std::find(choices_.begin(), choices_.end(), text) == choices_.end()) return false;
    *target_ = text;
    return true;
  }
  std::string Format() const override { return *target_; }
  void Constrain(boost::json::object* schema) const override {
    (*schema)["enum"] = Texts(choices_);
    (*schema)["default"] = *target_;
  }
  std::string* target_;
  std::vector<std::string> choices_;
};

class FlagSetting : public Scalar {
 public:
  FlagSetting(std::string name, std::string description, bool* target)
      : Scalar(std::move(name), std::move(description)), target_(target) {}

 private:
  std::string Kind() const override { return "true or false"; }
  bool Parse(const std::string& text) override {
    if (text != "true" && text != "false") return false;
    *target_ = text == "true";
    return true;
  }
  std::string Format() const override { return *target_ ? "true" : "false"; }
  void Constrain(boost::json::object* schema) const override {
    (*schema)["type"] = "boolean";
    (*schema)["default"] = *target_;
  }
  bool* target_;
};

class NumberSetting : public Scalar {
 public:
  NumberSetting(std::string name, std::string description, std::int64_t* target, std::int64_t min,
                std::int64_t max)
      : Scalar(std::move(name), std::move(description)), target_(target), min_(min), max_(max) {}

 private:
  std::string Kind() const override {
    return absl::StrCat("a whole number from ", min_, " to ", max_);
  }
  bool Parse(const std::string& text) override {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < min_ || value > max_)
      return false;
    *target_ = value;
    return true;
  }
  std::string Format() const override { return std::to_string(*target_); }
  void Constrain(boost::json::object* schema) const override {
    (*schema)["type"] = "integer";
    (*schema)["minimum"] = min_;
    (*schema)["maximum"] = max_;
    (*schema)["default"] = *target_;
  }
  std::int64_t* target_;
  std::int64_t min_;
  std::int64_t max_;
};

class DurationSetting : public Scalar {
 public:
  DurationSetting(std::string name, std::string description, std::chrono::milliseconds* target,
                  std::chrono::milliseconds min, std::chrono::milliseconds max)
      : Scalar(std::move(name), std::move(description)), target_(target), min_(min), max_(max) {}

 private:
  std::string Kind() const override {
    return absl::StrCat("a duration from ", FormatDuration(min_), " to ", FormatDuration(max_));
  }
  bool Parse(const std::string& text) override {
    std::chrono::milliseconds value{};
    if (!ParseDuration(text, &value) || value < min_ || value > max_) return false;
    *target_ = value;
    return true;
  }
  std::string Format() const override { return FormatDuration(*target_); }
  void Constrain(boost::json::object* schema) const override {
    (*schema)["type"] = "string";
    (*schema)["pattern"] = kDurationPattern;
    (*schema)["default"] = FormatDuration(*target_);
  }
  std::chrono::milliseconds* target_;
  std::chrono::milliseconds min_;
  std::chrono::milliseconds max_;
};

class TextListSetting : public SchemaNode {
 public:
  TextListSetting(std::string name, std::string description, std::vector<std::string>* target)
      : SchemaNode(std::move(name), std::move(description)), target_(target) {}

  void Read(const void* yaml, const std::string& path, Problems* problems) override {
    const YAML::Node& node = AsYaml(yaml);
    if (!node.IsSequence()) return Report(node, path, "must be a list of texts", problems);
    target_->clear();
    for (const YAML::Node& item : node) {
      if (item.IsScalar()) {
        target_->push_back(item.Scalar());
      } else {
        Report(item, path, "must be a list of texts", problems);
      }
    }
  }

  void Print(int indent, bool comments, std::string* out) const override {
    if (comments) PrintComment(indent, absl::StrCat(description(), " (a list of texts)"), out);
    std::vector<std::string> items;
    for (const std::string& item : *target_) items.push_back(Quote(item));
    absl::StrAppend(out, std::string(static_cast<std::size_t>(indent), ' '), name(), ": [",
                    absl::StrJoin(items, ", "), "]\n");
  }

  boost::json::object JsonSchema() const override {
    return {{"description", Meaning(*this, "a list of texts")},
            {"type", "array"},
            {"items", boost::json::object{{"type", "string"}}},
            {"default", Texts(*target_)}};
  }

 private:
  std::vector<std::string>* target_;
};

class DurationListSetting : public SchemaNode {
 public:
  DurationListSetting(std::string name, std::string description,
                      std::vector<std::chrono::milliseconds>* target, std::chrono::milliseconds min,
                      std::chrono::milliseconds max)
      : SchemaNode(std::move(name), std::move(description)),
        target_(target),
        min_(min),
        max_(max) {}

  void Read(const void* yaml, const std::string& path, Problems* problems) override {
    const YAML::Node& node = AsYaml(yaml);
    if (!node.IsSequence()) return Report(node, path, "must be " + Kind(), problems);
    target_->clear();
    for (const YAML::Node& item : node) {
      std::chrono::milliseconds value{};
      if (item.IsScalar() && ParseDuration(item.Scalar(), &value) && value >= min_ &&
          value <= max_) {
        target_->push_back(value);
      } else {
        Report(item, path, "must be " + Kind(), problems);
      }
    }
  }

  void Print(int indent, bool comments, std::string* out) const override {
    if (comments) PrintComment(indent, absl::StrCat(description(), " (", Kind(), ")"), out);
    absl::StrAppend(out, std::string(static_cast<std::size_t>(indent), ' '), name(), ": [",
                    absl::StrJoin(Items(), ", "), "]\n");
  }

  boost::json::object JsonSchema() const override {
    return {{"description", Meaning(*this, Kind())},
            {"type", "array"},
            {"items", boost::json::object{{"type", "string"}, {"pattern", kDurationPattern}}},
            {"default", Texts(Items())}};
  }

 private:
  std::vector<std::string> Items() const {
    std::vector<std::string> items;
    for (const std::chrono::milliseconds item : *target_) items.push_back(FormatDuration(item));
    return items;
  }
  std::string Kind() const {
    return absl::StrCat("a list of durations from ", FormatDuration(min_), " to ",
                        FormatDuration(max_));
  }

  std::vector<std::chrono::milliseconds>* target_;
  std::chrono::milliseconds min_;
  std::chrono::milliseconds max_;
};

class ListSetting : public SchemaNode {
 public:
  ListSetting(std::string name, std::string description, std::function<void(Section&)> append,
              std::function<void(std::size_t, Section&)> bind_at,
              std::function<std::shared_ptr<void>(Section&)> sample,
              std::function<std::size_t()> size, std::function<void(std::size_t)> reset)
      : SchemaNode(std::move(name), std::move(description)),
        append_(std::move(append)),
        bind_at_(std::move(bind_at)),
        sample_(std::move(sample)),
        size_(std::move(size)),
        reset_(std::move(reset)) {}

  void Read(const void* yaml, const std::string& path, Problems* problems) override {
    const YAML::Node& node = AsYaml(yaml);
    if (!node.IsSequence()) return Report(node, path, "must be a list", problems);
    // Elements are bound by address while they are read: the vector must not move them.
    reset_(node.size());
    std::size_t index = 0;
    for (const YAML::Node& item : node) {
      Section element("", "");
      append_(element);
      element.Read(&item, absl::StrCat(path, "[", index++, "]"), problems);
    }
  }

  void Print(int indent, bool comments, std::string* out) const override {
    if (comments) {
      if (indent == 0) absl::StrAppend(out, "\n");
      PrintComment(indent, absl::StrCat(description(), " (a list)"), out);
    }
    const std::string pad(static_cast<std::size_t>(indent), ' ');
    absl::StrAppend(out, pad, name(), ":", size_() == 0 ? " []\n" : "\n");
    for (std::size_t i = 0; i < size_(); ++i) {
      Section element("", "");
      bind_at_(i, element);
      absl::StrAppend(out, pad, "  -\n");
      element.Print(indent + 4, comments, out);
    }
  }

  boost::json::object JsonSchema() const override {
    Section element("", "");
    const std::shared_ptr<void> kept = sample_(element);
    return {{"description", Meaning(*this, "a list")},
            {"type", "array"},
            {"items", element.JsonSchema()}};
  }

 private:
  std::function<void(Section&)> append_;
  std::function<void(std::size_t, Section&)> bind_at_;
  std::function<std::shared_ptr<void>(Section&)> sample_;
  std::function<std::size_t()> size_;
  std::function<void(std::size_t)> reset_;
};

struct Unit {
  std::string_view suffix;
  std::int64_t millis;
};
constexpr std::array<Unit, 5> kUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

}  // namespace

std::string FormatDuration(std::chrono::milliseconds value) {
  for (const Unit& unit : kUnits) {
    if (value.count() != 0 && value.count() % unit.millis == 0) {
      return absl::StrCat(value.count() / unit.millis, std::string(unit.suffix));
    }
  }
  return "0s";
}

bool ParseDuration(std::string_view text, std::chrono::milliseconds* out) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& unit : kUnits) {
    if (suffix != unit.suffix) continue;
    if (number > INT64_MAX / unit.millis) return false;
    *out = std::chrono::milliseconds(number * unit.millis);
    return true;
  }
  return false;
}

std::string NearestName(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

Section& Section::Sub(std::string name, std::string description) {
  auto section = std::make_unique<Section>(std::move(name), std::move(description));
  Section& out = *section;
  children_.push_back(std::move(section));
  return out;
}

void Section::Text(std::string name, std::string* target, std::string description) {
  Add(std::make_unique<TextSetting>(std::move(name), std::move(description), target));
}

void Section::Choice(std::string name, std::string* target, std::vector<std::string> choices,
                     std::string description) {
  Add(std::make_unique<ChoiceSetting>(std::move(name), std::move(description), target,
                                      std::move(choices)));
}

void Section::Flag(std::string name, bool* target, std::string description) {
  Add(std::make_unique<FlagSetting>(std::move(name), std::move(description), target));
}

void Section::Number(std::string name, std::int64_t* target, std::int64_t min, std::int64_t max,
                     std::string description) {
  Add(std::make_unique<NumberSetting>(std::move(name), std::move(description), target, min, max));
}

void Section::Duration(std::string name, std::chrono::milliseconds* target,
                       std::chrono::milliseconds min, std::chrono::milliseconds max,
                       std::string description) {
  Add(std::make_unique<DurationSetting>(std::move(name), std::move(description), target, min, max));
}

void Section::TextList(std::string name, std::vector<std::string>* target,
                       std::string description) {
  Add(std::make_unique<TextListSetting>(std::move(name), std::move(description), target));
}

void Section::DurationList(std::string name, std::vector<std::chrono::milliseconds>* target,
                           std::chrono::milliseconds min, std::chrono::milliseconds max,
                           std::string description) {
  Add(std::make_unique<DurationListSetting>(std::move(name), std::move(description), target, min,
                                            max));
}

void Section::AddList(std::string name, std::string description,
                      std::function<void(Section&)> append,
                      std::function<void(std::size_t, Section&)> bind_at,
                      std::function<std::shared_ptr<void>(Section&)> sample,
                      std::function<std::size_t()> size, std::function<void(std::size_t)> reset) {
  Add(std::make_unique<ListSetting>(std::move(name), std::move(description), std::move(append),
                                    std::move(bind_at), std::move(sample), std::move(size),
                                    std::move(reset)));
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

}  // namespace tollbridge::gateway
