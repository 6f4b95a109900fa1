#include "tests/unit/coverage/table.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tollbridge::coverage {
namespace {

namespace fs = std::filesystem;

std::string Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(Trimmed(part));
  return parts;
}

void Append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Via ReadVia(const std::string& text) {
  for (const auto& [arrow, way] :
       {std::pair(" -> ", Way::kRequest), std::pair(" <- ", Way::kResponse)}) {
    const std::size_t at = text.find(arrow);
    if (at == std::string::npos) continue;
    return {.rpc = Trimmed(text.substr(0, at)),
            .way = way,
            .paths = Split(text.substr(at + std::string_view(arrow).size()), ',')};
  }
  return {.rpc = text};
}

/// Reads one file, line by line.
class Reader {
 public:
  Chapter Read(const fs::path& path) {
    std::ifstream file(path);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      place_ = "tests/data/coverage/" + path.filename().string() + ":" + std::to_string(++number);
      const std::string text = Trimmed(line);
      if (text.empty() || text.starts_with('#')) continue;
      const std::size_t space = text.find(' ');
      const auto word = words_.find(text.substr(0, space));
      if (word == words_.end() || space == std::string::npos) Refuse("no such line");
      word->second(Trimmed(text.substr(space)));
    }
    return std::move(chapter_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& why) const {
    throw std::runtime_error(place_ + ": " + why);
  }

  Section& CurrentSection() {
    if (chapter_.sections.empty()) Refuse("there is no section yet");
    return chapter_.sections.back();
  }

  void AddRow(std::string key, std::string text) {
    Row row;
    row.place = place_;
    row.key = std::move(key);
    row.text = std::move(text);
    CurrentSection().rows.push_back(std::move(row));
    ++open_;
  }

  void AddNames(const std::string& names) {
    open_ = 0;
    for (const std::string& name : Split(names, ',')) AddRow(name, "");
  }

  void AddWords(const std::string& text) {
    open_ = 0;
    const std::size_t colon = text.find(": ");
    if (colon == std::string::npos) Refuse("there is no colon");
    AddRow(text.substr(0, colon), Trimmed(text.substr(colon + 1)));
  }

  /// Of a line `names` all rows, else the last one.
  void ForOpenRows(const std::function<void(Row&)>& change) {
    std::vector<Row>& rows = CurrentSection().rows;
    if (open_ == 0) Refuse("there is no row yet");
    for (std::size_t i = rows.size() - open_; i < rows.size(); ++i) change(rows[i]);
  }

  std::string place_;
  Chapter chapter_;
  std::size_t open_ = 0;
  const std::map<std::string, std::function<void(const std::string&)>> words_ = {
      {"chapter", [this](const std::string& text) { chapter_.title = text; }},
      {"section",
       [this](const std::string& text) {
         chapter_.sections.emplace_back().title = text;
         open_ = 0;
       }},
      {"about", [this](const std::string& text) { CurrentSection().about.push_back(text); }},
      {"answered", [this](const std::string& text) { CurrentSection().answered.push_back(text); }},
      {"each",
       [this](const std::string& text) { Append(CurrentSection().each, Split(text, ';')); }},
      {"names", [this](const std::string& text) { AddNames(text); }},
      {"rule", [this](const std::string& text) { AddWords(text); }},
      {"own",
       [this](const std::string& text) {
         CurrentSection().kind = Kind::kOwn;
         AddWords(text);
       }},
      {"via",
       [this](const std::string& text) {
         ForOpenRows([&](Row& row) { row.vias.push_back(ReadVia(text)); });
       }},
      {"message",
       [this](const std::string& text) {
         ForOpenRows([&](Row& row) { row.messages.push_back(text); });
       }},
      {"at",
       [this](const std::string& text) { ForOpenRows([&](Row& row) { row.at.push_back(text); }); }},
      {"adr",
       [this](const std::string& text) {
         ForOpenRows([&](Row& row) { row.adrs.push_back(text); });
       }},
      {"test",
       [this](const std::string& text) {
         ForOpenRows([&](Row& row) { Append(row.tests, Split(text, ';')); });
       }},
  };
};

}  // namespace

std::vector<Chapter> ReadTable(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != "outline.txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Chapter> chapters;
  for (const fs::path& file : files) {
    chapters.push_back(Reader().Read(file));
    for (Section& section : chapters.back().sections) {
      for (Row& row : section.rows) Append(row.tests, section.each);
    }
  }
  return chapters;
}

std::vector<std::string> ReadOutline(const fs::path& path) {
  std::vector<std::string> keys;
  std::ifstream file(path);
  std::string section;
  for (std::string line; std::getline(file, line);) {
    const std::string text = Trimmed(line);
    if (text.starts_with("## ")) section = Trimmed(text.substr(3));
    if (text.empty() || text.starts_with('#')) continue;
    keys.push_back(section + ": " + text);
  }
  return keys;
}

}  // namespace tollbridge::coverage
