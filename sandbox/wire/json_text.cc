#include "sandbox/wire/json_text.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string_view.hpp>

namespace tollbridge::sandbox {
namespace {

/// Whether a text stands in JSON as it is: printable ASCII without quotes and backslashes.
bool IsPlain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
}

}  // namespace

void JsonText::Open(char bracket, std::string_view name) {
  Name(name);
  *out_ += bracket;
  first_ = true;
}

void JsonText::Close(char bracket) {
  *out_ += bracket;
  first_ = false;
}

void JsonText::Name(std::string_view name) {
  if (!first_) *out_ += ',';
  first_ = false;
  if (name.empty()) return;
  *out_ += '"';
  *out_ += name;
  *out_ += "\":";
}

void JsonText::Quoted(std::string_view value) {
  if (IsPlain(value)) {
    *out_ += '"';
    *out_ += value;
    *out_ += '"';
  } else {
    *out_ += boost::json::serialize(boost::json::string_view(value));
  }
}

void JsonText::Text(std::string_view name, std::string_view value) {
  Name(name);
  Quoted(value);
}

void JsonText::Number(std::string_view name, std::int64_t value) {
  Name(name);
  *out_ += std::to_string(value);
}

void JsonText::Boolean(std::string_view name, bool value) {
  Name(name);
  *out_ += value ? "true" : "false";
}

void JsonText::Id(std::string_view name, const Uuid& value) {
  Name(name);
  *out_ += '"';
  value.AppendTo(out_);
  *out_ += '"';
}

void JsonText::When(std::string_view name, Time value) {
  Name(name);
  *out_ += '"';
  AppendTime(value, out_);
  *out_ += '"';
}

void JsonText::Raw(std::string_view name, std::string_view json) {
  Name(name);
  *out_ += json;
}

void JsonText::MaybeText(std::string_view name, const std::optional<std::string>& value) {
  if (value) Text(name, *value);
}

void JsonText::MaybeId(std::string_view name, const std::optional<Uuid>& value) {
  if (value) Id(name, *value);
}

void JsonText::Element(std::string_view value) {
  Name({});
  Quoted(value);
}

void JsonText::Element(const Uuid& value) { Id({}, value); }

}  // namespace tollbridge::sandbox
