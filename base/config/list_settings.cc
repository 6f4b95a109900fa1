#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
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

}  // namespace

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

}  // namespace tollbridge::config
