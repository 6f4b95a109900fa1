#include "sandbox/api/wallet_b_request.h"

#include <array>
#include <cstdint>
#include <utility>

#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::array<std::string_view, 3> kTokenFields{"walletPayMessage", "setupToken",
                                                       "transactionId"};
constexpr std::array<std::string_view, 10> kPaymentFields{"vaultToken",
                                                          "cryptogram",
                                                          "eciIndicator",
                                                          "browser_info_screen_width",
                                                          "browser_info_screen_height",
                                                          "browser_info_color_depth",
                                                          "browser_info_user_agent",
                                                          "browser_info_time_zone_offset",
                                                          "browser_info_language",
                                                          "browser_info_java_enabled"};
constexpr std::int64_t kMaxPixels = 65'535;
constexpr std::int64_t kMaxColorBits = 64;
/// Minutes from UTC, as browsers count them: a day is past every zone.
constexpr std::int64_t kMaxZoneOffset = 24 * 60;

}  // namespace

Result<WalletBTokenRequest> ReadWalletBTokenRequest(std::string_view body) {
  JsonReader reader(ParseBody(body), kTokenFields);
  reader.Require(kTokenFields);
  WalletBTokenRequest request;
  request.message = reader.String("walletPayMessage", kMaxFreeBytes).value_or("");
  request.setup_token = reader.Id("setupToken").value_or(Uuid{});
  request.transaction = reader.Id("transactionId").value_or(Uuid{});
  SB_RETURN_IF_ERROR(reader.Done());
  return request;
}

Result<WalletBPayment> ReadWalletBPayment(std::string_view body) {
  JsonReader reader(ParseBody(body), kPaymentFields);
  reader.Require({"vaultToken"});
  WalletBPayment payment;
  payment.vault_token = reader.Id("vaultToken").value_or(Uuid{});
  payment.with_cryptogram = !reader.String("cryptogram").value_or("").empty();
  reader.String("eciIndicator");
  reader.Integer("browser_info_screen_width", 0, kMaxPixels);
  reader.Integer("browser_info_screen_height", 0, kMaxPixels);
  reader.Integer("browser_info_color_depth", 0, kMaxColorBits);
  reader.String("browser_info_user_agent");
  reader.Integer("browser_info_time_zone_offset", -kMaxZoneOffset, kMaxZoneOffset);
  reader.String("browser_info_language");
  reader.Bool("browser_info_java_enabled");
  SB_RETURN_IF_ERROR(reader.Done());
  return payment;
}

}  // namespace tollbridge::sandbox
