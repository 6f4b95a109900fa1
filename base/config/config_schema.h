#ifndef TOLLBRIDGE_BASE_CONFIG_CONFIG_SCHEMA_H_
#define TOLLBRIDGE_BASE_CONFIG_CONFIG_SCHEMA_H_

#include <boost/json/fwd.hpp>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <absl/status/status.h>

namespace tollbridge::config {

/// One setting, or a section of settings, bound to a place in a struct. Reading, printing, the
/// example, the JSON Schema and the list of known names all come from the same tree, so they cannot
/// differ.
class SchemaNode {
 public:
  virtual ~SchemaNode() = default;
  SchemaNode(std::string name, std::string description)
      : name_(std::move(name)), description_(std::move(description)) {}

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }

  /// Reads a YAML node into the bound place. `yaml` is a YAML::Node*; kept opaque so that only the
  /// .cc pays for it. Every problem is appended as `line N: path: what is wrong`.
  virtual void Read(const void* yaml, const std::string& path,
                    std::vector<std::string>* problems) = 0;
  /// Writes the bound values as YAML. With `comments`, each setting is preceded by its description
  /// and bounds.
  virtual void Print(int indent, bool comments, std::string* out) const = 0;
  /// What a value must be, as a JSON Schema of draft 7; the bound value is the default. It refuses
  /// nothing that Read takes, but a text, number or flag in the quotes of another kind, and a
  /// section that is empty. What Read refuses beyond it are bounds of durations.
  virtual boost::json::object JsonSchema() const = 0;

 private:
  std::string name_;
  std::string description_;
};

/// A map with known keys. Unknown keys are refused with their line and the nearest known name.
class Section : public SchemaNode {
 public:
  using SchemaNode::SchemaNode;

  Section& Sub(std::string name, std::string description);
  void Text(std::string name, std::string* target, std::string description);
  void Choice(std::string name, std::string* target, std::vector<std::string> choices,
              std::string description);
  void Flag(std::string name, bool* target, std::string description);
  /// A choice whose values have names in a configuration.
  template <typename Value>
    requires std::is_enum_v<Value>
  void Choice(std::string name, Value* target, std::vector<std::pair<std::string, Value>> choices,
              std::string description) {
    std::vector<std::string> names;
    for (const auto& [text, value] : choices) names.push_back(text);
    AddChoice(
        std::move(name), std::move(names),
        [target, choices] {
          for (const auto& [text, value] : choices) {
            if (value == *target) return text;
          }
          return std::string();
        },
        [target, choices](const std::string& chosen) {
          for (const auto& [text, value] : choices) {
            if (text == chosen) *target = value;
          }
        },
        std::move(description));
  }
  /// Of any type that holds all from `min` to `max`.
  template <std::integral Integer>
  void Number(std::string name, Integer* target, std::int64_t min, std::int64_t max,
              std::string description) {
    AddNumber(
        std::move(name), [target] { return static_cast<std::int64_t>(*target); },
        [target](std::int64_t value) { *target = static_cast<Integer>(value); }, min, max,
        std::move(description));
  }
  /// From 0 to 1.
  void Share(std::string name, double* target, std::string description);
  /// `10s`, `250ms`, `5m`, `72h`, `400d`.
  void Duration(std::string name, std::chrono::milliseconds* target, std::chrono::milliseconds min,
                std::chrono::milliseconds max, std::string description);
  void TextList(std::string name, std::vector<std::string>* target, std::string description);
  void DurationList(std::string name, std::vector<std::chrono::milliseconds>* target,
                    std::chrono::milliseconds min, std::chrono::milliseconds max,
                    std::string description);
  /// A list of sections. `bind` describes one element that was just appended to `target`.
  template <typename T>
  void List(std::string name, std::vector<T>* target, std::function<void(Section&, T&)> bind,
            std::string description) {
    AddList(
        std::move(name), std::move(description),
        [target, bind](Section& element) {
          target->emplace_back();
          bind(element, target->back());
        },
        [target, bind](std::size_t index, Section& element) { bind(element, (*target)[index]); },
        [bind](Section& element) -> std::shared_ptr<void> {
          const auto sample = std::make_shared<T>();
          bind(element, *sample);
          return sample;
        },
        [target] { return target->size(); },
        [target](std::size_t reserve) {
          target->clear();
          target->reserve(reserve);
        });
  }
  /// Adds a setting of a kind of its own.
  void Add(std::unique_ptr<SchemaNode> node) { children_.push_back(std::move(node)); }

  void Read(const void* yaml, const std::string& path, std::vector<std::string>* problems) override;
  void Print(int indent, bool comments, std::string* out) const override;
  boost::json::object JsonSchema() const override;

 private:
  void AddChoice(std::string name, std::vector<std::string> choices,
                 std::function<std::string()> get, std::function<void(const std::string&)> set,
                 std::string description);
  void AddNumber(std::string name, std::function<std::int64_t()> get,
                 std::function<void(std::int64_t)> set, std::int64_t min, std::int64_t max,
                 std::string description);
  /// `sample` binds an element that is in no list, and that the pointer keeps.
  void AddList(std::string name, std::string description, std::function<void(Section&)> append,
               std::function<void(std::size_t, Section&)> bind_at,
               std::function<std::shared_ptr<void>(Section&)> sample,
               std::function<std::size_t()> size, std::function<void(std::size_t)> reset);

  std::vector<std::unique_ptr<SchemaNode>> children_;
};

/// Reads a YAML document into what `root` is bound to. INVALID_ARGUMENT lists every problem, one a
/// line.
absl::Status ReadYaml(std::string_view text, Section& root);

/// The JSON Schema of a whole document, indented, with a line end.
std::string PrintJsonSchema(const Section& root, std::string_view title);

}  // namespace tollbridge::config

#endif  // TOLLBRIDGE_BASE_CONFIG_CONFIG_SCHEMA_H_
