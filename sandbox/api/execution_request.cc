#include "sandbox/api/execution_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"
#include "sandbox/wire/order_json.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::array<std::string_view, 6> kAuthenticateFields{
    "vault_token", "cvc", "cavv", "3ds_version", "3ds_method_used", "ds_transaction_id"};
constexpr std::array<std::string_view, 2> kAmountFields{"amount", "description"};
constexpr std::array<std::string_view, 4> kExternalFields{"cavv", "3ds_version", "3ds_method_used",
                                                          "ds_transaction_id"};

std::optional<ExternalAuthentication> ReadExternal(JsonReader& fields) {
  const bool any =
      std::ranges::any_of(kExternalFields, [&](std::string_view name) { return fields.Has(name); });
  if (!any) return std::nullopt;
  const auto read = [&](std::string_view name) {
    if (!fields.Has(name)) fields.Refuse(name, "is required with external 3-D Secure values");
    std::string text = fields.String(name).value_or("");
    if (text.empty()) fields.Refuse(name, "must not be empty");
    return text;
  };
  ExternalAuthentication external;
  external.cavv = read("cavv");
  external.version = read("3ds_version");
  external.method_used = read("3ds_method_used");
  external.ds_transaction_id = read("ds_transaction_id");
  return external;
}

}  // namespace

Result<Uuid> ReadInitiateRequest(std::string_view body, Unknown unknown) {
  JsonReader fields(ParseBody(body), {"vault_token"}, unknown);
  fields.Require({"vault_token"});
  const std::optional<Uuid> vault_token = fields.Id("vault_token");
  SB_RETURN_IF_ERROR(fields.Done());
  return *vault_token;
}

Result<AuthenticateRequest> ReadAuthenticateRequest(std::string_view body, Unknown unknown) {
  JsonReader fields(ParseBody(body), kAuthenticateFields, unknown);
  fields.Require({"vault_token"});
  AuthenticateRequest request;
  request.vault_token = fields.Id("vault_token").value_or(Uuid{});
  // Read for its form only: nothing of it is kept.
  fields.Digits("cvc", 3, 4);
  request.external = ReadExternal(fields);
  SB_RETURN_IF_ERROR(fields.Done());
  return request;
}

Result<AmountRequest> ReadAmountRequest(std::string_view body, Unknown unknown) {
  JsonReader fields(ParseBody(body), kAmountFields, unknown);
  fields.Require({"amount"});
  AmountRequest request;
  request.amount = fields.Integer("amount", 1).value_or(0);
  request.description = fields.String("description");
  request.unknown = fields.Kept(kAmountFields, MembersOfOrders());
  SB_RETURN_IF_ERROR(fields.Done());
  return request;
}

}  // namespace tollbridge::sandbox
