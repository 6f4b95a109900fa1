#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "base/config/config_schema.h"
#include "base/config/duration_text.h"
#include "base/config/yaml_text.h"

namespace tollbridge::config {
namespace {

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
  ChoiceSetting(std::string name, std::string description, std::vector<std::string> choices,
                std::function<std::string()> get, std::function<void(const std::string&)> set)
      : Scalar(std::move(name), std::move(description)),
        choices_(std::move(choices)),
        get_(std::move(get)),
        set_(std::move(set)) {}

 private:
  std::string Kind() const override {
    return absl::StrCat("one of ", absl::StrJoin(choices_, ", "));
  }
  bool Parse(const std::string& text) override {
    if (std::find(choices_.begin(), choices_.end(), text) == choices_.end()) return false;
    set_(text);
    return true;
  }
  std::string Format() const override { return get_(); }
  void Constrain(boost::json::object* schema) const override {
    (*schema)["enum"] = Texts(choices_);
    (*schema)["default"] = get_();
  }
  std::vector<std::string> choices_;
  std::function<std::string()> get_;
  std::function<void(const std::string&)> set_;
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
  NumberSetting(std::string name, std::string description, std::function<std::int64_t()> get,
                std::function<void(std::int64_t)> set, std::int64_t min, std::int64_t max)
      : Scalar(std::move(name), std::move(description)),
        get_(std::move(get)),
        set_(std::move(set)),
        min_(min),
        max_(max) {}

 private:
  std::string Kind() const override {
    return absl::StrCat("a whole number from ", min_, " to ", max_);
  }
  bool Parse(const std::string& text) override {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < min_ || value > max_)
      return false;
    set_(value);
    return true;
  }
  std::string Format() const override { return std::to_string(get_()); }
  void Constrain(boost::json::object* schema) const override {
    (*schema)["type"] = "integer";
    (*schema)["minimum"] = min_;
    (*schema)["maximum"] = max_;
    (*schema)["default"] = get_();
  }
  std::function<std::int64_t()> get_;
  std::function<void(std::int64_t)> set_;
  std::int64_t min_;
  std::int64_t max_;
};

class ShareSetting : public Scalar {
 public:
  ShareSetting(std::string name, std::string description, double* target)
      : Scalar(std::move(name), std::move(description)), target_(target) {}

 private:
  std::string Kind() const override { return "a number from 0 to 1"; }
  bool Parse(const std::string& text) override {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    // Not what is no number either.
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
      return false;
    *target_ = value;
    return true;
  }
  std::string Format() const override { return absl::StrCat(*target_); }
  void Constrain(boost::json::object* schema) const override {
    (*schema)["type"] = "number";
    (*schema)["minimum"] = 0;
    (*schema)["maximum"] = 1;
    (*schema)["default"] = *target_;
  }
  double* target_;
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

}  // namespace

void Section::Text(std::string name, std::string* target, std::string description) {
  Add(std::make_unique<TextSetting>(std::move(name), std::move(description), target));
}

void Section::Choice(std::string name, std::string* target, std::vector<std::string> choices,
                     std::string description) {
  AddChoice(
      std::move(name), std::move(choices), [target] { return *target; },
      [target](const std::string& chosen) { *target = chosen; }, std::move(description));
}

void Section::AddChoice(std::string name, std::vector<std::string> choices,
                        std::function<std::string()> get,
                        std::function<void(const std::string&)> set, std::string description) {
  Add(std::make_unique<ChoiceSetting>(std::move(name), std::move(description), std::move(choices),
                                      std::move(get), std::move(set)));
}

void Section::Flag(std::string name, bool* target, std::string description) {
  Add(std::make_unique<FlagSetting>(std::move(name), std::move(description), target));
}

void Section::AddNumber(std::string name, std::function<std::int64_t()> get,
                        std::function<void(std::int64_t)> set, std::int64_t min, std::int64_t max,
                        std::string description) {
  Add(std::make_unique<NumberSetting>(std::move(name), std::move(description), std::move(get),
                                      std::move(set), min, max));
}

void Section::Share(std::string name, double* target, std::string description) {
  Add(std::make_unique<ShareSetting>(std::move(name), std::move(description), target));
}

void Section::Duration(std::string name, std::chrono::milliseconds* target,
                       std::chrono::milliseconds min, std::chrono::milliseconds max,
                       std::string description) {
  Add(std::make_unique<DurationSetting>(std::move(name), std::move(description), target, min, max));
}

}  // namespace tollbridge::config
