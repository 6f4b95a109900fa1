#ifndef TOLLBRIDGE_TESTS_UNIT_COVERAGE_TABLE_H_
#define TOLLBRIDGE_TESTS_UNIT_COVERAGE_TABLE_H_

#include <filesystem>
#include <string>
#include <vector>

/// The table behind docs/coverage.md: tests/data/coverage/*.txt, one file a chapter.
///
/// Each line is a word and what follows it; a line that begins with # is a comment.
///   chapter TITLE             the title of the file's chapter
///   section TITLE             of docs/interface.md, as outline.txt names it
///   about TEXT                a line of text below the section's title
///   answered MESSAGE          a line that names each RPC that answers this message
///   each TEST; TEST           tests of every row of the section
///   names NAME, NAME          a row for each name of the document, as it stands in its JSON
///   rule KEY: TEXT            a row for something that it says in words
///   own FIELD: TEXT           a row for a published field that the document does not have: the
///   full
///                             name of a field, MESSAGE.* or *.NAME
/// and of a row:
///   via SERVICE/RPC           the RPC that does it
///   via SERVICE/RPC -> FIELD  ... by a field of its request; several are parted by a comma
///   via SERVICE/RPC <- FIELD  ... by a field of its response
///   message FIELD             a field of a message that is not of an RPC: an event, a body
///   at TEXT                   where it is done, if not by an RPC
///   adr FILE                  the decision in docs/adr, where something is refused on purpose
///   test TEST; TEST           Suite.Name, or Suite.Name/parameter
/// In a field, `{}` stands for the field that is called as the row in the payment service's JSON.
namespace tollbridge::coverage {

/// Which way a field goes.
enum class Way { kNone, kRequest, kResponse };

/// An RPC, with fields of its request or response as paths, `a.b.c`.
struct Via {
  /// "Payments/GetOrder".
  std::string rpc;
  Way way = Way::kNone;
  std::vector<std::string> paths;
};

/// One thing that the document says, or one field of our own.
struct Row {
  /// "tests/data/coverage/FILE:LINE", for messages.
  std::string place;
  /// `names` or `own`: a name. `rule`: what stands before the colon.
  std::string key;
  /// Of `rule` and `own`: what stands behind it.
  std::string text;
  std::vector<Via> vias;
  /// Full names of fields without the leading "tollbridge.".
  std::vector<std::string> messages;
  std::vector<std::string> at;
  std::vector<std::string> adrs;
  std::vector<std::string> tests;
};

enum class Kind { kDocument, kOwn };

struct Section {
  std::string title;
  Kind kind = Kind::kDocument;
  std::vector<std::string> about;
  std::vector<std::string> answered;
  std::vector<std::string> each;
  std::vector<Row> rows;
};

struct Chapter {
  std::string title;
  std::vector<Section> sections;
};

/// The chapters in the order of their files' names. Throws std::runtime_error, with the place, when
/// a line cannot be read.
std::vector<Chapter> ReadTable(const std::filesystem::path& folder);

/// "Section: key" of everything that docs/interface.md has, from outline.txt.
std::vector<std::string> ReadOutline(const std::filesystem::path& file);

}  // namespace tollbridge::coverage

#endif  // TOLLBRIDGE_TESTS_UNIT_COVERAGE_TABLE_H_
