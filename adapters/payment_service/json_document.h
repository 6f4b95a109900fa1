#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_JSON_DOCUMENT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_JSON_DOCUMENT_H_

#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::payment_service {

// A JSON text that was read: its values one behind the other in the order of the text, without a
// container for each. It is made for one pass from front to end. For the codec only.

/// One value. What is in an array stands right behind it; of an object each name, as a text, and
/// behind it its value.
struct JsonNode {
  enum class Kind : std::uint8_t {
    kNull,
    kFlag,
    kInteger,
    kUnsigned,  ///< Only what does not fit into kInteger.
    kDouble,
    kText,
    kArray,
    kObject,
  };

  Kind kind = Kind::kNull;
  /// kText: bytes. kArray, kObject: how many nodes are within it, whatever their depth.
  std::uint32_t size = 0;
  union {
    bool flag;
    std::int64_t integer = 0;
    std::uint64_t whole;
    double number;
    const char* text;
  };

  bool is_null() const { return kind == Kind::kNull; }
  bool is_text() const { return kind == Kind::kText; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_object() const { return kind == Kind::kObject; }

  /// kText only.
  std::string_view Text() const { return {text, size}; }
  /// What stands behind this value and all that is within it.
  const JsonNode* Next() const { return this + 1 + (is_array() || is_object() ? size : 0); }
};

/// The values in an array.
class JsonElements {
 public:
  explicit JsonElements(const JsonNode& array) : array_(array) {}

  class Iterator {
   public:
    explicit Iterator(const JsonNode* at) : at_(at) {}
    const JsonNode& operator*() const { return *at_; }
    void operator++() { at_ = at_->Next(); }
    bool operator==(const Iterator&) const = default;

   private:
    const JsonNode* at_;
  };
  Iterator begin() const { return Iterator(&array_ + 1); }
  Iterator end() const { return Iterator(array_.Next()); }

 private:
  const JsonNode& array_;
};

/// The members of an object. A name may be there more than once.
class JsonMembers {
 public:
  explicit JsonMembers(const JsonNode& object) : object_(object) {}

  struct Member {
    std::string_view name;
    const JsonNode* value;
  };
  class Iterator {
   public:
    explicit Iterator(const JsonNode* name) : name_(name) {}
    Member operator*() const { return {name_->Text(), name_ + 1}; }
    void operator++() { name_ = name_[1].Next(); }
    bool operator==(const Iterator&) const = default;

   private:
    const JsonNode* name_;
  };
  Iterator begin() const { return Iterator(&object_ + 1); }
  Iterator end() const { return Iterator(object_.Next()); }

 private:
  const JsonNode& object_;
};

/// The members of an object, sorted by name; of those of one name the last.
std::vector<JsonMembers::Member> LastOfEachName(const JsonNode& object);

/// What was read of one text.
class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  /// Reads RFC 8259 JSON in valid UTF-8, nested `max_depth` deep at most. Called once; `text` has
  /// less than 4 GiB, and outlives this.
  boost::system::error_code Read(std::string_view text, int max_depth);

  /// The value that the text is. Only when it could be read.
  const JsonNode& root() const { return nodes_.front(); }

 private:
  class Builder;

  std::vector<JsonNode> nodes_;
  /// Texts that do not stand in the body as they are: those with escapes.
  std::deque<std::string> unescaped_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_JSON_DOCUMENT_H_
