#include "sandbox/api/wallet_a_routes.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/encoding.h"
#include "base/http/message.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/error_response.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kMethod = "wallet-a-pay";
constexpr std::array<std::string_view, 4> kFields{"validationUrl", "merchantIdentifier",
                                                  "displayName", "initiativeContext"};
/// What a wallet's sheet has room for.
constexpr std::size_t kMaxDisplayCharacters = 64;
constexpr std::size_t kMaxHostBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;
/// How long a customer may take to confirm in the wallet.
constexpr Millis kSessionValidity = std::chrono::minutes(5);

struct SessionRequest {
  std::string display_name;
  std::string domain;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsLabel(std::string_view label) {
  if (label.empty() || label.size() > kMaxLabelBytes) return false;
  if (label.starts_with('-') || label.ends_with('-')) return false;
  return std::ranges::all_of(label, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

/// A domain. An address is none: no top level is all digits.
bool IsHostName(std::string_view text) {
  if (text.size() > kMaxHostBytes) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    if (!IsLabel(label)) return false;
    if (dot == std::string_view::npos) return !std::ranges::all_of(label, IsDigit);
    text.remove_prefix(dot + 1);
  }
}

/// Of UTF-8: every byte but those that continue a character.
std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string IdentifierOf(const Project& project) { return HexEncode(project.id.ToBytes()); }

Result<SessionRequest> ReadSessionRequest(const Project& project, std::string_view body) {
  JsonReader reader(ParseBody(body), kFields);
  reader.Require(kFields);
  reader.Url("validationUrl");
  const std::string identifier = reader.String("merchantIdentifier").value_or("");
  if (!http::EqualsIgnoreCase(identifier, IdentifierOf(project))) {
    reader.Refuse("merchantIdentifier", "must be the project's id without hyphens");
  }
  SessionRequest request;
  request.display_name = reader.String("displayName").value_or("");
  const std::size_t characters = CharactersIn(request.display_name);
  if (characters == 0 || characters > kMaxDisplayCharacters) {
    reader.Refuse("displayName",
                  "must have 1 to " + std::to_string(kMaxDisplayCharacters) + " characters");
  }
  request.domain = reader.String("initiativeContext").value_or("");
  if (!IsHostName(request.domain)) {
    reader.Refuse("initiativeContext", "must be a host name, without scheme, port and path");
  }
  SB_RETURN_IF_ERROR(reader.Done());
  return request;
}

/// Looks like what the wallet's provider gives, which is opaque to the merchant.
json::object MakeSession(Simulation* simulation, const Project& project,
                         const SessionRequest& request) {
  const Millis now = simulation->clock.Now().time_since_epoch();
  const Uuid session = simulation->ids.NewUuid();
  const Uuid nonce = simulation->ids.NewUuid();
  json::object out;
  out["epochTimestamp"] = now.count();
  out["expiresAt"] = (now + kSessionValidity).count();
  out["merchantSessionIdentifier"] = HexEncode(session.ToBytes());
  out["nonce"] = HexEncode(nonce.ToBytes());
  out["merchantIdentifier"] = IdentifierOf(project);
  out["domainName"] = request.domain;
  out["displayName"] = request.display_name;
  out["signature"] = HexEncode(Uuid::V5(session, json::serialize(out)).ToBytes());
  return out;
}

Result<http::Response> CreateSession(World* world, const Call& call) {
  const Project& project = *call.project;
  if (!project.HasMethod(kMethod)) {
    return Invalid(std::string(kMethod) + " is not active for the project");
  }
  SB_ASSIGN_OR_RETURN(const SessionRequest request,
                      ReadSessionRequest(project, call.request->body));
  json::object out;
  out["sessionData"] = MakeSession(&world->simulation, project, request);
  return JsonResponse(200, json::serialize(out));
}

}  // namespace

std::vector<Route> WalletARoutes(World* world, const Addresses* /*addresses*/) {
  return {{.operation = "create_wallet_a_session",
           .method = "POST",
           .pattern = "/v1/wallet-a-pay/sessions/",
           .access = Access::kMerchant,
           .changes = true,
           .handle = [world](const Call& call) { return ToResponse(CreateSession(world, call)); }}};
}

}  // namespace tollbridge::sandbox
