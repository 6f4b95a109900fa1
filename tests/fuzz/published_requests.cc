#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include "services/domain/errors.h"
#include "services/domain/field_rule_texts.h"
#include "services/rpc/parse.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/published_methods.h"
#include "tests/fuzz/request_reader.h"

// Any bytes as the request of a published method. An input is the method's name and a line end, or
// one byte that chooses it, and the request: JSON when it begins with `{`, the wire format behind
// `=`, and else bytes from which request_reader.h makes it. It goes through the rules that the
// gateway checks. What breaks one is refused in the words of docs/validation.md and no others, so
// that no value that was sent is ever repeated. What breaks none is done, up to the HTTP requests
// that leave (published_methods.h).

namespace tollbridge::fuzz {
namespace {

namespace pb = google::protobuf;

/// Every rule that the page lists.
std::set<std::string> ListedRules() {
  std::ifstream page(TOLLBRIDGE_VALIDATION_PAGE);
  if (!page.is_open()) Found("no " TOLLBRIDGE_VALIDATION_PAGE);
  std::set<std::string> rules;
  constexpr std::string_view kBetween = "` | ";
  constexpr std::string_view kEnd = " |";
  for (std::string line; std::getline(page, line);) {
    const std::size_t at = line.find(kBetween);
    if (!line.starts_with("| `") || at == std::string::npos || !line.ends_with(kEnd)) continue;
    const std::size_t begin = at + kBetween.size();
    rules.insert(line.substr(begin, line.size() - kEnd.size() - begin));
  }
  return rules;
}

/// Full names of a message type and of all below it.
void AddTypes(const pb::Descriptor& type, std::set<std::string>& names) {
  if (!names.insert(type.full_name()).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    if (type.field(i)->message_type() != nullptr) AddTypes(*type.field(i)->message_type(), names);
  }
}

class Rules {
 public:
  explicit Rules(const PublishedMethods& methods) : texts_(ListedRules()) {
    std::set<std::string> types;
    for (const rpc::MethodInfo& method : methods.all()) {
      AddTypes(*method.descriptor->input_type(), types);
    }
    for (const std::string& type : types) texts_.insert(domain::rule_text::NoFieldOf(type));
  }

  void CheckWords(const std::vector<domain::FieldViolation>& violations) const {
    for (const domain::FieldViolation& violation : violations) {
      if (!texts_.contains(violation.rule)) Found("an unlisted rule: " + violation.rule);
      CheckPath(violation.field);
    }
  }

 private:
  /// A path has names, places, the numbers of unknown fields and, of a Struct, keys that look like
  /// names: none has the digits of a card.
  static void CheckPath(const std::string& path) {
    constexpr int kMostDigits = 9;
    int digits = 0;
    for (const char c : path) {
      const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
      digits = digit ? digits + 1 : 0;
      if (digits > kMostDigits) Found("a path with a number: " + path);
      if (c < ' ' || c > '~') Found("a path that holds what is no name");
    }
  }

  std::set<std::string> texts_;
};

bool Read(std::string_view text, pb::Message* request) {
  if (text.starts_with("{")) {
    return pb::util::JsonStringToMessage(std::string(text), request).ok();
  }
  if (text.starts_with("=")) {
    const std::string_view bytes = text.substr(1);
    if (request->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return true;
    // What is said of it has no byte of it, and ends.
    const rpc::BadField bad = rpc::FindBadField(bytes, *request->GetDescriptor());
    if (bad.rule.size() > 300) Found("a rule without a bound");
    return false;
  }
  ReadRequest(text, request);
  // The server has it from the wire, which refuses what is no text.
  const std::string bytes = request->SerializeAsString();
  return request->ParseFromString(bytes);
}

const rpc::MethodInfo& MethodOf(const std::vector<rpc::MethodInfo>& all, std::string_view& input) {
  const std::size_t line = input.substr(0, 64).find('\n');
  if (line != std::string_view::npos) {
    const auto named = std::ranges::find(all, input.substr(0, line), &rpc::MethodInfo::name);
    if (named != all.end()) {
      input.remove_prefix(line + 1);
      return *named;
    }
  }
  const auto choice = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return all[choice % all.size()];
}

/// Of bytes that are no message it would write a line each.
bool Hush() {
  pb::SetLogHandler(nullptr);
  return true;
}

void Take(std::string_view input) {
  [[maybe_unused]] static const bool hushed = Hush();
  static PublishedMethods methods;
  static const Rules rules(methods);
  if (input.empty()) return;
  const rpc::MethodInfo& method = MethodOf(methods.all(), input);
  const std::unique_ptr<pb::Message> request(pb::MessageFactory::generated_factory()
                                                 ->GetPrototype(method.descriptor->input_type())
                                                 ->New());
  if (!Read(input, request.get())) return;
  const std::vector<domain::FieldViolation> violations = methods.Check(method, *request);
  rules.CheckWords(violations);
  if (violations.empty()) methods.Do(method, *request);
}

}  // namespace
}  // namespace tollbridge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tollbridge::fuzz::Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
