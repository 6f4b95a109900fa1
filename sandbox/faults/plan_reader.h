#ifndef TOLLBRIDGE_SANDBOX_FAULTS_PLAN_READER_H_
#define TOLLBRIDGE_SANDBOX_FAULTS_PLAN_READER_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/clock.h"
#include "sandbox/core/model.h"

namespace tollbridge::sandbox {

/// Reads the fields of one object strictly. The first thing that is wrong is kept in `error`, named
/// by its path; what is read after that does not count.
class PlanReader {
 public:
  /// `path` goes before the names of fields: `rules[0].on.`. Both outlive the reader.
  PlanReader(const boost::json::object& object, std::string path, std::optional<ApiError>* error)
      : object_(object), path_(std::move(path)), error_(error) {}

  /// nullptr when it is not there.
  const boost::json::value* Find(std::string_view field);
  /// As above for an object; an error when it is something else, and where it must be there.
  const boost::json::object* Object(std::string_view field, bool required);
  /// Not empty, `longest` bytes at most.
  std::optional<std::string> Text(std::string_view field, std::size_t longest, bool required);
  /// A whole number within both bounds.
  std::optional<std::int64_t> Integer(std::string_view field, std::int64_t least, std::int64_t most,
                                      bool required);
  /// Any number within both bounds.
  std::optional<double> Number(std::string_view field, double least, double most, bool required);
  /// Refuses fields that were never asked for.
  void RefuseOthers();

  void Refuse(std::string_view field, std::string_view rule);
  std::string PathOf(std::string_view field) const;

 private:
  const boost::json::object& object_;
  std::string path_;
  std::optional<ApiError>* error_;
  std::vector<std::string_view> known_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_FAULTS_PLAN_READER_H_
