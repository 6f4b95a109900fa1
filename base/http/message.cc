#include "base/http/message.h"

#include <algorithm>

namespace tollbridge::http {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

void Headers::Add(std::string_view name, std::string_view value) {
  fields_.push_back(Field{std::string(name), std::string(value)});
}

void Headers::Set(std::string_view name, std::string_view value) {
  // The arguments may be views into a field that Remove() would take away.
  Field field{std::string(name), std::string(value)};
  Remove(field.name);
  fields_.push_back(std::move(field));
}

void Headers::Remove(std::string_view name) {
  std::erase_if(fields_, [name](const Field& f) { return EqualsIgnoreCase(f.name, name); });
}

std::optional<std::string_view> Headers::Find(std::string_view name) const {
  for (const Field& field : fields_) {
    if (EqualsIgnoreCase(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Headers::FindAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Field& field : fields_) {
    if (EqualsIgnoreCase(field.name, name)) values.push_back(field.value);
  }
  return values;
}

}  // namespace tollbridge::http
