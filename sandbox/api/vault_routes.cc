#include "sandbox/api/vault_routes.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/card_numbers.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/error_response.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

struct CardRequest {
  std::string pan;
  std::string expiry;
  std::string name;
  Uuid setup_token;
};

Result<CardRequest> ReadCardRequest(std::string_view body) {
  JsonReader reader(ParseBody(body), {"pan", "expiry", "setup_token", "name"});
  reader.Require({"pan", "expiry", "setup_token"});
  CardRequest request;
  request.pan = reader.String("pan").value_or("");
  request.expiry = reader.String("expiry").value_or("");
  request.setup_token = reader.Id("setup_token").value_or(Uuid{});
  request.name = reader.String("name").value_or("");
  // The name is given back on retrieval, so a number put there by mistake would be shown.
  if (MaskCardNumbers(request.name) != request.name) {
    reader.Refuse("name", "must not hold a card number");
  }
  SB_RETURN_IF_ERROR(reader.Done());
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

Result<http::Response> StoreCard(World* world, const Call& call) {
  SB_ASSIGN_OR_RETURN(const CardRequest request, ReadCardRequest(call.request->body));
  SB_ASSIGN_OR_RETURN(
      const VaultCard stored,
      world->vault.Store(
          call.project->id, request.setup_token,
          {.pan = request.pan, .expiry = request.expiry, .cardholder_name = request.name}));
  return JsonResponse(201, json::serialize(ToJson(stored)));
}

}  // namespace

std::vector<Route> VaultRoutes(World* world, const Addresses* /*addresses*/) {
  return {{.operation = "store_card",
           .method = "POST",
           .pattern = "/vault/v1/cards/",
           .access = Access::kMerchant,
           .changes = true,
           .handle = [world](const Call& call) { return ToResponse(StoreCard(world, call)); }}};
}

}  // namespace tollbridge::sandbox
