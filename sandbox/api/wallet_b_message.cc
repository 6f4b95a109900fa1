#include "sandbox/api/wallet_b_message.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/core/encoding.h"
#include "base/core/uuid.h"
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kVersion = "sandbox-1";
// The same for every card: it must not be traceable to one.
constexpr std::string_view kMadeUpCryptogram = "c2FuZGJveC1jcnlwdG9ncmFt";
constexpr std::string_view kMadeUpEci = "05";
constexpr std::array<std::string_view, 3> kOuterFields{"protocolVersion", "signature",
                                                       "signedMessage"};
constexpr std::array<std::string_view, 6> kInnerFields{
    "pan", "expirationMonth", "expirationYear", "authMethod", "cryptogram", "eciIndicator"};

/// The object that a text holds, with no fields but these; nullopt for anything else.
std::optional<json::object> ParseObject(std::string_view text,
                                        std::span<const std::string_view> known) {
  boost::system::error_code problem;
  json::value root = json::parse(text, problem);
  if (problem || !root.is_object()) return std::nullopt;
  for (const json::key_value_pair& field : root.get_object()) {
    if (std::ranges::find(known, std::string_view(field.key())) == known.end()) return std::nullopt;
  }
  return std::move(root.get_object());
}

/// "" when it is absent or no string.
std::string_view StringIn(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return "";
  return value->get_string();
}

/// 0 when it is absent, no integer or past `at_most`.
int NumberIn(const json::object& object, std::string_view name, std::int64_t at_most) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_int64()) return 0;
  const std::int64_t number = value->get_int64();
  return number > 0 && number <= at_most ? static_cast<int>(number) : 0;
}

ApiError Wrong(std::string_view rule) { return Invalid("walletPayMessage" + std::string(rule)); }

Result<WalletBCard> ReadSigned(std::string_view text) {
  const std::optional<json::object> fields = ParseObject(text, kInnerFields);
  if (!fields) return Wrong(".signedMessage is not the base64 of a card's JSON object");
  WalletBCard card;
  card.pan = StringIn(*fields, "pan");
  if (card.pan.empty()) return Wrong(".signedMessage.pan is required");
  card.expiration_month = NumberIn(*fields, "expirationMonth", 12);
  if (card.expiration_month == 0) {
    return Wrong(".signedMessage.expirationMonth must be from 1 to 12");
  }
  card.expiration_year = NumberIn(*fields, "expirationYear", 9999);
  if (card.expiration_year < 1000) {
    return Wrong(".signedMessage.expirationYear must have four digits");
  }
  card.cryptogram = StringIn(*fields, "cryptogram");
  card.eci_indicator = StringIn(*fields, "eciIndicator");
  const std::string_view method = StringIn(*fields, "authMethod");
  if (method == Text(WalletBMethod::kCryptogram3ds)) {
    card.method = WalletBMethod::kCryptogram3ds;
    if (card.cryptogram.empty()) {
      return Wrong(".signedMessage.cryptogram is required with CRYPTOGRAM_3DS");
    }
  } else if (method != Text(WalletBMethod::kPanOnly)) {
    return Wrong(".signedMessage.authMethod must be PAN_ONLY or CRYPTOGRAM_3DS");
  } else if (!card.cryptogram.empty() || !card.eci_indicator.empty()) {
    return Wrong(".signedMessage.cryptogram and eciIndicator go with CRYPTOGRAM_3DS only");
  }
  return card;
}

}  // namespace

std::string_view Text(WalletBMethod method) {
  return method == WalletBMethod::kCryptogram3ds ? "CRYPTOGRAM_3DS" : "PAN_ONLY";
}

std::string WalletBCard::Expiry() const {
  const std::string month = std::to_string(expiration_month);
  return (month.size() == 1 ? "0" : "") + month + std::to_string(expiration_year);
}

std::string SignWalletBMessage(std::string_view signed_message) {
  static const Uuid kNamespace = *Uuid::Parse("77616c6c-6574-4b62-8d65-737361676573");
  return HexEncode(Uuid::V5(kNamespace, signed_message).ToBytes());
}

std::string MakeWalletBMessage(const WalletBCard& card) {
  json::object inner;
  inner["pan"] = card.pan;
  inner["expirationMonth"] = card.expiration_month;
  inner["expirationYear"] = card.expiration_year;
  inner["authMethod"] = Text(card.method);
  if (card.method == WalletBMethod::kCryptogram3ds) {
    const bool named = !card.cryptogram.empty();
    inner["cryptogram"] = named ? std::string_view(card.cryptogram) : kMadeUpCryptogram;
    inner["eciIndicator"] = named ? std::string_view(card.eci_indicator) : kMadeUpEci;
  }
  const std::string signed_message = Base64Encode(json::serialize(inner));
  json::object outer;
  outer["protocolVersion"] = kVersion;
  outer["signature"] = SignWalletBMessage(signed_message);
  outer["signedMessage"] = signed_message;
  return json::serialize(outer);
}

Result<WalletBCard> ReadWalletBMessage(std::string_view message) {
  const std::optional<json::object> fields = ParseObject(message, kOuterFields);
  if (!fields) {
    return Wrong(
        " is not a message of the sandbox's wallet: protocolVersion, signature and "
        "signedMessage as JSON text");
  }
  if (StringIn(*fields, "protocolVersion") != kVersion) {
    return Wrong(".protocolVersion must be " + std::string(kVersion));
  }
  const std::string_view signed_message = StringIn(*fields, "signedMessage");
  if (StringIn(*fields, "signature") != SignWalletBMessage(signed_message)) {
    return Wrong(".signature does not fit signedMessage");
  }
  return ReadSigned(Base64Decode(signed_message).value_or(""));
}

}  // namespace tollbridge::sandbox
