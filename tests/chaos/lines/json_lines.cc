#include "tests/chaos/lines/json_lines.h"

#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <stdexcept>

#include "base/core/uuid.h"

namespace tollbridge::chaos {
namespace {

namespace json = boost::json;

std::string PathOf(const std::string& folder, std::string_view name) {
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

void Put::operator()(std::string_view name, const std::string& text) const {
  if (!text.empty()) (*out)[name] = text;
}

void Take::operator()(std::string_view name, std::string& text) const {
  if (const json::value* value = in->if_contains(name)) text = value->as_string();
}

void Take::operator()(std::string_view name, std::int64_t& number) const {
  if (const json::value* value = in->if_contains(name)) number = value->to_number<std::int64_t>();
}

void Take::operator()(std::string_view name, int& number) const {
  if (const json::value* value = in->if_contains(name)) number = value->to_number<int>();
}

void ReadLines(const std::string& folder, std::string_view name, bool needed,
               const std::function<void(const json::object&)>& line) {
  std::ifstream in(PathOf(folder, name));
  if (!in) {
    if (!needed) return;
    throw std::runtime_error(PathOf(folder, name) + ": cannot be read");
  }
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    boost::system::error_code problem;
    const json::value value = json::parse(text, problem);
    if (problem || !value.is_object()) {
      throw std::runtime_error(PathOf(folder, name) + ":" + std::to_string(number) +
                               ": is no JSON object");
    }
    line(value.get_object());
  }
}

LineWriter::LineWriter(const std::string& folder, std::string_view name)
    : out_(PathOf(folder, name), std::ios::binary) {
  if (!out_) throw std::runtime_error(PathOf(folder, name) + ": cannot be written");
}

void LineWriter::Write(const json::object& line) {
  const std::string text = json::serialize(line) + "\n";
  const std::lock_guard lock(mutex_);
  out_ << text;
}

void LineWriter::Flush() {
  const std::lock_guard lock(mutex_);
  out_.flush();
}

std::string Digest(std::string_view bytes) { return Uuid::V5(Uuid{}, bytes).ToString(); }

TimeMs ParseTime(std::string_view text) {
  std::tm parts{};
  std::istringstream in{std::string(text)};
  in >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%S");
  if (in.fail()) throw std::runtime_error("no time: " + std::string(text));
  TimeMs millis = TimeMs{::timegm(&parts)} * 1'000;
  if (in.peek() == '.') {
    in.get();
    TimeMs unit = 100;
    for (; std::isdigit(in.peek()) != 0; unit /= 10) millis += unit * (in.get() - '0');
  }
  return millis;
}

TimeMs NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string TextOf(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::string MakeRunFolder(const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path path = folder.empty() ? fs::temp_directory_path() /
                                             ("tollbridge-chaos-" + std::to_string(::getpid()))
                                       : fs::path(folder);
  fs::create_directories(path);
  if (!fs::is_empty(path)) throw std::runtime_error(path.string() + ": is not empty");
  return path.string();
}

}  // namespace tollbridge::chaos
