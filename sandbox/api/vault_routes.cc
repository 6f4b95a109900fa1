#include "sandbox/api/vault_routes.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/core/card_numbers.h"
#include "sandbox/wire/body_reader.h"
#include "sandbox/wire/error_response.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> kFields{"pan", "expiry", "setup_token", "name"};

struct CardRequest {
  std::string pan;
  std::string expiry;
  std::string name;
  Uuid setup_token;
};

std::variant<CardRequest, ApiError> ReadCardRequest(std::string_view body) {
  std::variant<json::object, ApiError> parsed = ParseBody(body);
  if (ApiError* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
  FieldReader reader(std::get<json::object>(parsed), "", kFields);
  reader.Require("pan");
  reader.Require("expiry");
  reader.Require("setup_token");
  CardRequest request;
  request.pan = reader.String("pan").value_or("");
  request.expiry = reader.String("expiry").value_or("");
  request.setup_token = reader.Id("setup_token").value_or(Uuid{});
  request.name = reader.String("name").value_or("");
  // The name is given back on retrieval, so a number put there by mistake would be shown.
  if (MaskCardNumbers(request.name) != request.name) {
    reader.Refuse("name", "must not hold a card number");
  }
  if (reader.error()) return *reader.error();
  return request;
}

json::object ToJson(const VaultCard& card) {
  const TestCard& test_card = CardVault::TestCardOf(card);
  json::array brands{json::string(test_card.brand)};
  if (!test_card.second_brand.empty()) brands.emplace_back(test_card.second_brand);
  json::object out;
  out["vault_token"] = card.token.ToString();
  out["truncated_pan"] = card.truncated_pan;
  out["brand"] = test_card.brand;
  out["brands"] = std::move(brands);
  return out;
}

http::Response StoreCard(World* world, const Call& call) {
  const std::variant<CardRequest, ApiError> read = ReadCardRequest(call.request->body);
  if (const ApiError* error = std::get_if<ApiError>(&read)) return ToResponse(*error);
  const CardRequest& request = std::get<CardRequest>(read);
  const std::variant<VaultCard, ApiError> stored = world->vault.Store(
      call.project->id, request.setup_token,
      {.pan = request.pan, .expiry = request.expiry, .cardholder_name = request.name});
  if (const ApiError* error = std::get_if<ApiError>(&stored)) return ToResponse(*error);
  return JsonResponse(201, json::serialize(ToJson(std::get<VaultCard>(stored))));
}

}  // namespace

std::vector<Route> VaultRoutes(World* world, const Addresses* /*addresses*/) {
  return {{.operation = "store_card",
           .method = "POST",
           .pattern = "/vault/v1/cards/",
           .access = Access::kMerchant,
           .changes = true,
           .handle = [world](const Call& call) { return StoreCard(world, call); }}};
}

}  // namespace tollbridge::sandbox
