#include "sandbox/search/query_parser.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "sandbox/core/result.h"
#include "sandbox/search/query_values.h"

namespace tollbridge::sandbox {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

/// What ends an unquoted value.
bool IsSpecial(char c) { return std::string_view("()[]{}\"\\").find(c) != std::string_view::npos; }

/// Recursive descent, as deep as kMaxQueryDepth. Functions that return false have failed, and
/// nothing is read after the first failure.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<QueryNode> Parse() {
    QueryNode root;
    if (ParseWhole(&root)) return root;
    return *std::move(error_);
  }

 private:
  bool ParseWhole(QueryNode* root) {
    if (text_.size() > kMaxQueryBytes) {
      error_ = Invalid("query must have at most " + std::to_string(kMaxQueryBytes) + " bytes");
      return false;
    }
    SkipSpace();
    if (AtEnd()) {
      error_ = Invalid("query must not be empty: * finds all orders");
      return false;
    }
    if (!ParseOr(0, root)) return false;
    if (AtEnd()) return true;
    if (Peek() == ')') return Fail(at_, "a ) without its (");
    return Fail(at_, "AND or OR is missing before the term");
  }

  bool ParseOr(int depth, QueryNode* out) {
    return ParseChain(depth, QueryNode::Kind::kOr, "OR", &Parser::ParseAnd, out);
  }

  bool ParseAnd(int depth, QueryNode* out) {
    return ParseChain(depth, QueryNode::Kind::kAnd, "AND", &Parser::ParseOne, out);
  }

  /// Operands with the operator between them. Leaves the white space after it behind.
  bool ParseChain(int depth, QueryNode::Kind kind, std::string_view operation,
                  bool (Parser::*parse)(int, QueryNode*), QueryNode* out) {
    QueryNode chain;
    chain.kind = kind;
    do {
      if (!(this->*parse)(depth, &chain.children.emplace_back())) return false;
      SkipSpace();
    } while (TakeWord(operation));
    if (chain.children.size() == 1) {
      QueryNode only = std::move(chain.children.front());
      *out = std::move(only);
    } else {
      *out = std::move(chain);
    }
    return true;
  }

  /// NOT, parentheses, `*` or a term.
  bool ParseOne(int depth, QueryNode* out) {
    SkipSpace();
    const std::size_t start = at_;
    if (AtEnd()) return Fail(at_, "the query ends where a term is expected");
    if (TakeWord("NOT")) {
      if (depth >= kMaxQueryDepth) return FailDepth(start);
      out->kind = QueryNode::Kind::kNot;
      return ParseOne(depth + 1, &out->children.emplace_back());
    }
    if (Take('(')) {
      if (depth >= kMaxQueryDepth) return FailDepth(start);
      if (!ParseOr(depth + 1, out)) return false;
      if (Take(')')) return true;
      if (AtEnd()) return Fail(start, "a ( without its )");
      return Fail(at_, "AND or OR is missing before the term");
    }
    if (++terms_ > kMaxQueryTerms) {
      return Fail(start, "more than " + std::to_string(kMaxQueryTerms) + " terms");
    }
    if (Take('*')) {
      out->kind = QueryNode::Kind::kEverything;
      return true;
    }
    return ParseTerm(out);
  }

  bool ParseTerm(QueryNode* out) {
    const std::size_t start = at_;
    while (!AtEnd() && IsNameCharacter(Peek())) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (name.empty() || !Take(':')) return Fail(start, "field:value is expected");
    if (name == "extra" || name.starts_with("extra.")) {
      return Fail(start, "extra is not searchable");
    }
    const QueryFieldInfo* field = FindQueryField(name);
    if (field == nullptr) return Fail(start, "not a searchable field");

    const bool is_range = !AtEnd() && (Peek() == '[' || Peek() == '{');
    std::variant<Condition, ValueProblem> condition;
    if (is_range) {
      WrittenRange range;
      if (!ParseRange(*field, &range)) return false;
      condition = ReadRange(*field, range);
    } else {
      WrittenValue value;
      if (!ParseValue(*field, &value) || !CheckStar(*field, value)) return false;
      condition = ReadValue(*field, value);
    }
    if (const ValueProblem* problem = std::get_if<ValueProblem>(&condition)) {
      return Fail(problem->at, std::string(field->name) + " " + problem->rule);
    }
    out->kind = QueryNode::Kind::kTerm;
    out->field = field->field;
    out->condition = std::get<Condition>(std::move(condition));
    return true;
  }

  bool ParseRange(const QueryFieldInfo& field, WrittenRange* out) {
    out->at = at_;
    out->with_from = Peek() == '[';
    ++at_;
    if (!ParseEnd(field, &out->from)) return false;
    if (!TakeWord("TO")) {
      return Fail(at_, std::string(field.name) + ": a range is [from TO to]");
    }
    if (!ParseEnd(field, &out->to)) return false;
    out->with_to = !AtEnd() && Peek() == ']';
    if (Take(']') || Take('}')) return true;
    return Fail(out->at, std::string(field.name) + ": a range without its ] or }");
  }

  /// One end of a range, with the white space around it.
  bool ParseEnd(const QueryFieldInfo& field, std::optional<WrittenValue>* out) {
    SkipSpace();
    WrittenValue value;
    if (!ParseValue(field, &value)) return false;
    SkipSpace();
    if (value.quoted || value.text != "*") {
      if (!value.quoted && value.text.find('*') != std::string::npos) {
        return Fail(value.at, std::string(field.name) + ": a range knows no prefixes");
      }
      *out = std::move(value);
    }
    return true;
  }

  bool ParseValue(const QueryFieldInfo& field, WrittenValue* out) {
    out->at = at_;
    if (Take('"')) return ParseQuoted(field, out);
    while (!AtEnd() && !IsSpace(Peek()) && !IsSpecial(Peek())) ++at_;
    out->text = text_.substr(out->at, at_ - out->at);
    if (!AtEnd() && std::string_view("([{\"\\").find(Peek()) != std::string_view::npos) {
      return Fail(at_, std::string(field.name) + ": a value with such a character must be quoted");
    }
    if (out->text.empty()) {
      return Fail(at_, std::string(field.name) + " needs a value right after its colon");
    }
    return true;
  }

  /// After the opening quote.
  bool ParseQuoted(const QueryFieldInfo& field, WrittenValue* out) {
    out->quoted = true;
    for (; !AtEnd(); ++at_) {
      if (Take('"')) return true;
      if (Peek() == '\\') {
        ++at_;
        if (AtEnd() || (Peek() != '"' && Peek() != '\\')) {
          return Fail(at_ - 1, std::string(field.name) + ": \\ must stand before \" or \\");
        }
      }
      out->text += Peek();
    }
    return Fail(out->at, std::string(field.name) + ": a quote that is not closed");
  }

  /// Unquoted, `*` counts at the end only.
  bool CheckStar(const QueryFieldInfo& field, const WrittenValue& value) {
    const std::size_t star = value.quoted ? std::string::npos : value.text.find('*');
    if (star == std::string::npos || star + 1 == value.text.size()) return true;
    return Fail(value.at + star,
                std::string(field.name) + ": * counts at a value's end only; quote it otherwise");
  }

  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return text_[at_]; }

  void SkipSpace() {
    while (!AtEnd() && IsSpace(Peek())) ++at_;
  }

  bool Take(char wanted) {
    if (AtEnd() || Peek() != wanted) return false;
    ++at_;
    return true;
  }

  /// An operator, which ends where no name goes on.
  bool TakeWord(std::string_view word) {
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(word)) return false;
    if (rest.size() > word.size() &&
        (IsNameCharacter(rest[word.size()]) || rest[word.size()] == ':')) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  bool Fail(std::size_t at, std::string_view what) {
    error_ = Invalid("query, at byte " + std::to_string(at + 1) + ": " + std::string(what));
    return false;
  }

  bool FailDepth(std::size_t at) {
    return Fail(at, "nested deeper than " + std::to_string(kMaxQueryDepth));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int terms_ = 0;
  std::optional<ApiError> error_;
};

}  // namespace

Result<QueryNode> ParseQuery(std::string_view text) { return Parser(text).Parse(); }

}  // namespace tollbridge::sandbox
