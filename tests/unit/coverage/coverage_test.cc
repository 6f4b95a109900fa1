// docs/coverage.md: each endpoint, field, rule and flow of docs/interface.md, the RPC that does it
// and the tests that show it. Here it is made of its table, and the table is held to the document's
// outline and to the descriptors; tests/architecture looks for the tests.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/read_file.h"
#include "tests/unit/coverage/page.h"
#include "tests/unit/coverage/published.h"
#include "tests/unit/coverage/table.h"

namespace tollbridge::coverage {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TOLLBRIDGE_SOURCE_DIR;

const std::vector<Chapter>& Table() {
  static const std::vector<Chapter> table = ReadTable(kSource / "tests/data/coverage");
  return table;
}

/// The rows of this kind, each with its section.
std::vector<std::pair<const Section*, const Row*>> Rows(Kind kind) {
  std::vector<std::pair<const Section*, const Row*>> rows;
  for (const Chapter& chapter : Table()) {
    for (const Section& section : chapter.sections) {
      if (section.kind != kind) continue;
      for (const Row& row : section.rows) rows.emplace_back(&section, &row);
    }
  }
  return rows;
}

std::vector<const Row*> AllRows() {
  std::vector<const Row*> rows;
  for (const Kind kind : {Kind::kDocument, Kind::kOwn}) {
    for (const auto& [section, row] : Rows(kind)) rows.push_back(row);
  }
  return rows;
}

/// The fields that the row's paths lead through. A path that leads nowhere is a failure.
std::vector<const FieldDescriptor*> FieldsOf(const Row& row) {
  std::vector<const FieldDescriptor*> fields;
  const auto take = [&](const Path& path, const std::string& as_written) {
    EXPECT_FALSE(path.fields.empty())
        << row.place << ": no field " << as_written << " for " << row.key;
    fields.insert(fields.end(), path.fields.begin(), path.fields.end());
  };
  for (const Via& via : row.vias) {
    const MethodDescriptor* method = FindMethod(via.rpc);
    if (method == nullptr) {
      ADD_FAILURE() << row.place << ": no RPC " << via.rpc;
      continue;
    }
    const Descriptor* type =
        via.way == Way::kRequest ? method->input_type() : method->output_type();
    for (const std::string& path : via.paths) take(FindPath(*type, path, row.key), path);
  }
  for (const std::string& message : row.messages) {
    take(FindMessageField(message, row.key), message);
  }
  return fields;
}

/// Whether "*.name", "package.Message.*" or "package.Message.name" is about the field.
bool IsAbout(const std::string& pattern, const FieldDescriptor& field) {
  if (pattern.starts_with("*.")) return field.name() == pattern.substr(2);
  const std::string full_name = "tollbridge." + pattern;
  return field.full_name() == full_name || field.containing_type()->full_name() + ".*" == full_name;
}

TEST(CoveragePageTest, ThePageIsThatOfItsTable) {
  const std::string page = WritePage(Table());
  const fs::path golden = kSource / "docs/coverage.md";
  if (std::getenv("TOLLBRIDGE_WRITE") != nullptr) std::ofstream(golden) << page;
  const std::string actual = ::testing::TempDir() + "coverage.md";
  std::ofstream(actual) << page;
  // Not EXPECT_EQ: the difference of two such pages is better seen with diff.
  EXPECT_TRUE(test::ReadFile(golden) == page)
      << "If the change is meant: cp " << actual << " docs/coverage.md\nTo see it: diff "
      << golden.string() << " " << actual;
}

TEST(CoveragePageTest, NothingOfTheDocumentIsLeftOutAndNothingIsTwice) {
  const std::vector<std::string> outline = ReadOutline(kSource / "tests/data/coverage/outline.txt");
  EXPECT_GT(outline.size(), 300U);
  std::vector<std::string> rows;
  for (const auto& [section, row] : Rows(Kind::kDocument)) {
    rows.push_back(section->title + ": " + row->key);
  }
  EXPECT_THAT(rows, ::testing::UnorderedElementsAreArray(outline));
}

TEST(CoveragePageTest, NoCellIsEmpty) {
  for (const auto& [section, row] : Rows(Kind::kDocument)) {
    EXPECT_TRUE(!row->vias.empty() || !row->messages.empty() || !row->at.empty()) << row->place;
    // A name of the document's JSON is a field of a message, unless it is said where else it is.
    if (row->text.empty() && row->at.empty()) EXPECT_FALSE(FieldsOf(*row).empty()) << row->place;
  }
  for (const Row* row : AllRows()) EXPECT_FALSE(row->tests.empty()) << row->place << row->key;
}

TEST(CoveragePageTest, EachRpcAndEachFieldThatARowNamesExists) {
  for (const auto& [section, row] : Rows(Kind::kDocument)) FieldsOf(*row);
  for (const Chapter& chapter : Table()) {
    for (const Section& section : chapter.sections) {
      for (const std::string& message : section.answered) {
        EXPECT_FALSE(RpcsThatAnswer(message).empty()) << section.title;
      }
    }
  }
}

TEST(CoveragePageTest, EachDecisionThatARowNamesExists) {
  std::set<std::string> decisions;
  for (const auto& entry : fs::directory_iterator(kSource / "docs/adr")) {
    decisions.insert(entry.path().stem().string());
  }
  for (const Row* row : AllRows()) {
    for (const std::string& adr : row->adrs) {
      EXPECT_TRUE(decisions.contains(adr)) << row->place << " names " << adr;
    }
  }
}

TEST(CoveragePageTest, EachPublishedRpcAndFieldIsInARow) {
  std::set<std::string> rpcs;
  std::set<const FieldDescriptor*> named;
  for (const auto& [section, row] : Rows(Kind::kDocument)) {
    for (const Via& via : row->vias) rpcs.insert(via.rpc);
    for (const FieldDescriptor* field : FieldsOf(*row)) named.insert(field);
  }
  for (const MethodDescriptor* method : PublishedMethods()) {
    EXPECT_TRUE(rpcs.contains(NameOf(*method))) << NameOf(*method) << " is in no row";
  }
  const std::set<const FieldDescriptor*> published = PublishedFields();
  for (const FieldDescriptor* field : published) {
    const bool own = std::ranges::any_of(
        Rows(Kind::kOwn), [&](const auto& pair) { return IsAbout(pair.second->key, *field); });
    EXPECT_TRUE(own || named.contains(field)) << field->full_name() << " is in no row";
    EXPECT_FALSE(own && named.contains(field)) << field->full_name() << " is of the document";
  }
  for (const auto& [section, row] : Rows(Kind::kOwn)) {
    EXPECT_TRUE(std::ranges::any_of(
        published, [&](const FieldDescriptor* field) { return IsAbout(row->key, *field); }))
        << row->place << " is about no field";
  }
}

}  // namespace
}  // namespace tollbridge::coverage
