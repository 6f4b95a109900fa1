#ifndef TOLLBRIDGE_TESTS_CHAOS_LINES_JSON_LINES_H_
#define TOLLBRIDGE_TESTS_CHAOS_LINES_JSON_LINES_H_

#include <boost/json/object.hpp>
#include <cstdint>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What is left of a run: files of JSON lines in one folder. A struct that is a line has a function
/// Visit(line, each) beside it that calls each(name, member) for every member.
namespace tollbridge::chaos {

/// Milliseconds since 1970, of one machine.
using TimeMs = std::int64_t;

/// Members of a line into an object; empty texts are left out.
struct Put {
  boost::json::object* out;
  void operator()(std::string_view name, const std::string& text) const;
  void operator()(std::string_view name, std::int64_t number) const { (*out)[name] = number; }
  void operator()(std::string_view name, int number) const { (*out)[name] = number; }
};

/// The other way; what is not there keeps its value.
struct Take {
  const boost::json::object* in;
  void operator()(std::string_view name, std::string& text) const;
  void operator()(std::string_view name, std::int64_t& number) const;
  void operator()(std::string_view name, int& number) const;
};

/// Calls `line` for each line. A file that is not there counts as empty unless it is `needed`.
/// Throws std::runtime_error naming file and line for what is no JSON object.
void ReadLines(const std::string& folder, std::string_view name, bool needed,
               const std::function<void(const boost::json::object&)>& line);

template <typename Line>
boost::json::object Written(const Line& line) {
  boost::json::object out;
  Visit(line, Put{&out});
  return out;
}

/// Reads all lines of one part, as ReadLines.
template <typename Line>
void ReadPart(const std::string& folder, std::string_view name, bool needed,
              std::vector<Line>* out) {
  ReadLines(folder, name, needed, [out](const boost::json::object& object) {
    Line line;
    Visit(line, Take{&object});
    out->push_back(std::move(line));
  });
}

/// A file of JSON lines that is written while things happen. Any thread.
class LineWriter {
 public:
  /// Throws std::runtime_error when the file cannot be written.
  LineWriter(const std::string& folder, std::string_view name);
  void Write(const boost::json::object& line);
  void Flush();

 private:
  std::mutex mutex_;
  std::ofstream out_;
};

/// Writes all lines of one part; ToJson(line) gives each.
template <typename Lines>
void WriteAll(const std::string& folder, std::string_view name, const Lines& lines) {
  LineWriter writer(folder, name);
  for (const auto& line : lines) writer.Write(ToJson(line));
  writer.Flush();
}

/// Texts with one digest are the same.
std::string Digest(std::string_view bytes);

/// Milliseconds since 1970 of an RFC 3339 time in UTC; throws std::runtime_error for other text.
TimeMs ParseTime(std::string_view text);
/// The machine's own, which the payment service and Redis go by too: for comparing records only.
TimeMs NowMs();

/// A text member of an object; empty when there is none.
std::string TextOf(const boost::json::object& object, std::string_view name);

/// The folder for a run's files, empty: `folder`, or a new one when that is empty. Throws
/// std::runtime_error when it holds something.
std::string MakeRunFolder(const std::string& folder);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_LINES_JSON_LINES_H_
