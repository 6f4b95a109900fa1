#include "sandbox/pages/challenge_page.h"

#include "sandbox/core/result.h"
#include "sandbox/pages/card_form.h"
#include "sandbox/pages/customer_way.h"
#include "sandbox/pages/form.h"

namespace tollbridge::sandbox {
namespace {

bool IsPending(const Attempt& attempt) {
  return attempt.transaction->status == TransactionStatus::kPending &&
         !IsPendingRefund(*attempt.order);
}

http::Response Challenge(const Site& site, const Attempt& attempt, int status,
                         std::string_view alert) {
  std::string body = std::string(alert);
  body += "<p>Your bank asks whether it is you who pays with card " +
          EscapeHtml(LastFour(*attempt.transaction)) + ".</p>";
  body += Draw(BillOf(site, *attempt.order));
  body += "<form method=\"post\"><p>" + Button("outcome", "pass", "Confirm, it is me") +
          Button("outcome", "fail", "Fail the check", true) + "</p></form>";
  return Render({.title = "Confirm your payment", .body = std::move(body), .status = status});
}

}  // namespace

http::Response ShowChallenge(const Site& site, const Call& call) {
  const std::optional<Attempt> attempt = AttemptOf(site, call);
  if (!attempt) return NotFoundPage();
  if (!IsPending(*attempt)) {
    return SeeOther(PageOf(*attempt->order, *attempt->transaction, *site.addresses));
  }
  return Challenge(site, *attempt, 200, "");
}

http::Response EndChallenge(const Site& site, const Call& call) {
  const std::optional<Attempt> attempt = AttemptOf(site, call);
  if (!attempt) return NotFoundPage();
  const Form form(call.request->body);
  const std::string_view outcome = form["outcome"];
  // A second press of the button finds it decided, and goes where the first one went.
  if (IsPending(*attempt)) {
    if (outcome != "pass" && outcome != "fail") {
      return Challenge(site, *attempt, 422, Alert("refused", "Press one of the two buttons."));
    }
    const Result<void> ended = site.world->payments.EndChallenge(
        attempt->order->id, attempt->transaction->id, outcome == "pass");
    if (!ended.ok()) {
      return Challenge(site, *attempt, ended.error().status,
                       Alert("refused", EscapeHtml(Plain(ended.error()))));
    }
  }
  return SeeOther(WayAfter(*attempt->order, *attempt->transaction, *site.addresses));
}

}  // namespace tollbridge::sandbox
