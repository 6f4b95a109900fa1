#include "tests/unit/coverage/page.h"

#include <string_view>

#include "tests/unit/coverage/published.h"

namespace tollbridge::coverage {
namespace {

constexpr std::string_view kHead =
    R"(# Which RPC does which part of the interface, and which test shows it

Made by `CoveragePageTest` from tests/data/coverage, and held to the code by it; not written by hand.
To make it anew: `TOLLBRIDGE_WRITE=1 build/dev/bin/interface_coverage_test`

Each table takes a section of the payment service's [interface](interface.md): its endpoints, fields,
rules, statuses, limits and flows; then come the optional endpoints, and what was decided where the
interface says nothing. Last are the fields that are Tollbridge's own. Each row names the RPC, `->` a field of its
request or `<-` of its response, and the tests (`Suite.Name`, behind a slash the parameter). What is
refused on purpose names the decision (ADR) and the test of the refusal.

Tests fail when something of the interface has no row, when an RPC or a field of
Payments, Vault, Payouts or Search is in no row, when a row names an RPC, a field, a decision or a
test that does not exist, and when a field is called otherwise in the payment service's JSON.
)";

std::string Joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(separator)) + part;
  return text;
}

std::string Cell(const Via& via, const std::string& name) {
  if (via.way == Way::kNone) return via.rpc;
  std::vector<std::string> fields;
  const MethodDescriptor* method = FindMethod(via.rpc);
  if (method == nullptr) return via.rpc;
  const Descriptor* type = via.way == Way::kRequest ? method->input_type() : method->output_type();
  for (const std::string& path : via.paths) {
    fields.push_back("`" + FindPath(*type, path, name).text + "`");
  }
  return via.rpc + (via.way == Way::kRequest ? " -> " : " <- ") + Joined(fields, ", ");
}

/// Where a row of the document is done.
std::string Where(const Row& row) {
  std::vector<std::string> parts;
  for (const Via& via : row.vias) parts.push_back(Cell(via, row.key));
  for (const std::string& message : row.messages) {
    parts.push_back("`" + FindMessageField(message, row.key).text + "`");
  }
  parts.insert(parts.end(), row.at.begin(), row.at.end());
  for (const std::string& adr : row.adrs) {
    parts.push_back("refused: [ADR " + adr.substr(0, 4) + "](adr/" + adr + ".md)");
  }
  return Joined(parts, "; ");
}

std::string What(const Row& row, Kind kind) {
  if (kind == Kind::kOwn || row.text.empty()) return "`" + row.key + "`";
  return row.key + ": " + row.text;
}

std::string Line(const std::string& what, const std::string& where,
                 const std::vector<std::string>& tests) {
  return "| " + what + " | " + where + " | " + Joined(tests, "; ") + " |\n";
}

std::string Written(const Section& section) {
  std::string text = "\n### " + section.title + "\n";
  if (!section.about.empty()) text += "\n" + Joined(section.about, "\n") + "\n";
  for (const std::string& message : section.answered) {
    text += "\nAnswered by " + Joined(RpcsThatAnswer(message), ", ") + ".\n";
  }
  const bool own = section.kind == Kind::kOwn;
  text += own ? "\n| field | why | tests |\n" : "\n| the document | RPC and field | tests |\n";
  text += "|---|---|---|\n";
  for (const Row& row : section.rows) {
    text += Line(What(row, section.kind), own ? row.text : Where(row), row.tests);
  }
  return text;
}

}  // namespace

std::string WritePage(const std::vector<Chapter>& chapters) {
  std::string text(kHead);
  for (const Chapter& chapter : chapters) {
    text += "\n## " + chapter.title + "\n";
    for (const Section& section : chapter.sections) text += Written(section);
  }
  return text;
}

}  // namespace tollbridge::coverage
