#ifndef TOLLBRIDGE_SANDBOX_CONFIG_READER_H_
#define TOLLBRIDGE_SANDBOX_CONFIG_READER_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/uuid.h"
#include "sandbox/core/clock.h"

namespace tollbridge::sandbox {

/// The members of one object of the configuration, read strictly. A member that is not there leaves
/// its target as it is. The first error stays, as `path: rule`, and from then on nothing is read.
/// Errors never repeat a value.
class ConfigReader {
 public:
  using Rule = std::function<bool(std::string_view)>;

  /// `path` leads to the object, "" at the top. A member that is not in `known` is an error, which
  /// names the nearest that is. `object` and `error` outlive this.
  ConfigReader(const boost::json::object& object, std::string path,
               std::initializer_list<std::string_view> known, std::optional<std::string>* error);

  void Require(std::string_view name);
  void Text(std::string_view name, const Rule& rule, std::string_view rule_text,
            std::string* target);
  /// At least one text, each once and by the rule.
  void Texts(std::string_view name, const Rule& rule, std::string_view rule_text,
             std::vector<std::string>* target);
  /// An absolute http or https URL.
  void Url(std::string_view name, std::string* target);
  void Id(std::string_view name, Uuid* target);
  void Bool(std::string_view name, bool* target);
  void Integer(std::string_view name, std::int64_t from, std::int64_t to, std::int64_t* target);
  /// An ISO 8601 duration.
  void Duration(std::string_view name, Millis from, Millis to, Millis* target);
  /// nullptr when it is not there.
  const boost::json::object* Object(std::string_view name);
  const boost::json::array* Array(std::string_view name);

 private:
  const boost::json::value* Find(std::string_view name) const;
  void Refuse(std::string_view name, std::string_view rule);

  const boost::json::object& object_;
  std::string path_;
  std::optional<std::string>* error_;
};

/// "PT60M", "P1D": as the interface writes durations.
std::string DurationText(Millis duration);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CONFIG_READER_H_
