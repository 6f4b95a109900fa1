#include "sandbox/pages/form.h"

#include <utility>

#include "sandbox/pages/html.h"

namespace tollbridge::sandbox {
namespace {

/// ` name="value"`, or nothing for no value.
std::string Attribute(std::string_view name, std::string_view value) {
  if (value.empty()) return "";
  return " " + std::string(name) + "=\"" + EscapeHtml(value) + "\"";
}

std::string DescribedBy(std::string_view id, bool hint, bool error) {
  std::string ids;
  if (hint) ids = std::string(id) + "-hint";
  if (error) ids += (ids.empty() ? "" : " ") + std::string(id) + "-error";
  return Attribute("aria-describedby", ids);
}

std::string Error(std::string_view id, std::string_view error) {
  if (error.empty()) return "";
  return "<p class=\"error\" id=\"" + std::string(id) + "-error\">" + EscapeHtml(error) + "</p>";
}

}  // namespace

Form::Form(std::string_view body) {
  absl::StatusOr<http::QueryParameters> fields = http::ParseForm(body);
  if (fields.ok()) fields_ = *std::move(fields);
}

std::string_view Form::operator[](std::string_view field) const {
  for (const auto& [name, value] : fields_) {
    if (name == field) return value;
  }
  return "";
}

std::string Draw(const TextField& field) {
  const std::string id(field.name);
  std::string out = "<p><label for=\"" + id + "\">" + EscapeHtml(field.label) + "</label>";
  if (!field.hint.empty()) {
    out += "<span class=\"hint\" id=\"" + id + "-hint\">" + EscapeHtml(field.hint) + "</span>";
  }
  out += "<input type=\"text\" id=\"" + id + "\" name=\"" + id + "\"";
  out += Attribute("autocomplete", field.autocomplete) + Attribute("inputmode", field.inputmode) +
         Attribute("value", field.value);
  if (field.required) out += " required";
  if (!field.error.empty()) out += " aria-invalid=\"true\"";
  out += DescribedBy(id, !field.hint.empty(), !field.error.empty()) + "></p>";
  return out + Error(id, field.error);
}

std::string DrawMethodChoice(const std::vector<std::string>& methods, std::string_view error) {
  if (methods.empty()) return "<p id=\"no-method\">No payment method is offered here.</p>";
  std::string out = "<form method=\"post\"><fieldset class=\"choice\"" +
                    DescribedBy("method", false, !error.empty()) +
                    "><legend>How do you want to pay?</legend>" + Error("method", error);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const std::string id = "method-" + std::to_string(i);
    out += "<p><input type=\"radio\" name=\"method\" id=\"" + id + "\" value=\"" +
           EscapeHtml(methods[i]) + "\"" + (i == 0 ? " checked" : "") + "> <label for=\"" + id +
           "\">" + MethodName(methods[i]) + "</label></p>";
  }
  return out + "</fieldset><p><button type=\"submit\">Continue</button></p></form>";
}

std::string Button(std::string_view name, std::string_view value, std::string_view text,
                   bool quiet) {
  return "<button type=\"submit\"" + Attribute("name", name) + Attribute("value", value) +
         (quiet ? " class=\"quiet\">" : ">") + EscapeHtml(text) + "</button>";
}

std::string MethodName(std::string_view method) {
  if (method == "credit-card") return "Card";
  if (method == "wallet-a-pay") return "Wallet A";
  if (method == "wallet-b-pay") return "Wallet B";
  return Shown(method);
}

}  // namespace tollbridge::sandbox
