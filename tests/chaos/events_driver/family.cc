#include "tests/chaos/events_driver/family.h"

#include <utility>

#include "tests/chaos/events_auditor/history_file.h"

namespace tollbridge::pipeline {
namespace {

constexpr int kMostTries = 60;
constexpr Millis kBeforeTheNextTry{700};

/// Test cards of the sandbox (docs/guides/sandbox.md).
constexpr std::string_view kNotForFunding = "4000000000000614";
constexpr std::string_view kNotForPayouts = "4000000000000622";
constexpr std::string_view kIssuerFails = "4000000000003915";
constexpr std::string_view kSlow = "4000000000003774";
constexpr std::string_view kChallenge = "4000000000003220";

}  // namespace

Family::Family(Shop* shop, std::uint64_t number)
    : shop_(*shop),
      random_(shop->options.seed * 1'000'003 + number),
      number_(number),
      at_gateway_(Draw(0, 1) == 0),
      door_(at_gateway_ ? static_cast<Door&>(shop->gateway) : shop->service),
      amount_(Draw(2, 500) * 100) {
  const std::int64_t way = Draw(0, 99);
  if (way < 30) {
    PlanHosted();
  } else if (way < 42) {
    PlanPickedByMerchant();
  } else if (way < 60) {
    PlanOwnCheckout(false);
  } else if (way < 66) {
    PlanOwnCheckout(true);
  } else if (way < 84) {
    PlanAuthorization();
  } else if (way < 92) {
    PlanPayout();
  } else {
    PlanLink();
  }
}

std::optional<Millis> Family::Go() {
  if (plan_.empty()) return std::nullopt;
  const bool done = plan_.front().act();
  if (over_) return std::nullopt;
  if (!done) {
    if (++tries_ >= kMostTries) return std::nullopt;
    return kBeforeTheNextTry;
  }
  tries_ = 0;
  plan_.pop_front();
  if (plan_.empty()) return std::nullopt;
  return plan_.front().wait;
}

std::int64_t Family::Draw(std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(to - from + 1));
}

std::string Family::NextKey() {
  return "e" + std::to_string(shop_.options.seed) + "-" + std::to_string(number_) + "-" +
         std::to_string(++keys_);
}

void Family::Note(const std::string& what, bool gateway, bool known) {
  shop_.calls->Write(
      ToJson(CallLine{.order = order_.id, .what = what, .gateway = gateway, .known = known}));
}

bool Family::Take(Made made, Made* into) {
  if (made.ending == Ending::kAgain) return false;
  over_ = made.ending == Ending::kRefused;
  if (!over_) *into = std::move(made);
  return true;
}

void Family::ThenCreate(NewOrder wanted) {
  // Not drawn, so that what happens to an order stays what it was.
  if (number_ % 4 == 1) wanted.currency = "USD";
  if (number_ % 9 == 2) wanted.currency = "JPY";
  Then(Millis(0), [this, wanted = std::move(wanted), key = NextKey()] {
    if (!Take(door_.Create(key, wanted), &order_) || over_) return over_;
    refundable_ = order_.id;
    Note("created", at_gateway_, true);
    if (wanted.capture_later) Note("capture_mode", at_gateway_, true);
    return true;
  });
}

void Family::ThenPayOnPage(std::string_view pan) {
  Then(Soon(), [this, pan] { return !shop_.service.PayOnPage(order_.url, pan).empty(); });
}

void Family::ThenHappen(std::string_view outcome, Millis wait) {
  Then(wait, [this, outcome] { return shop_.service.Happen(refundable_, outcome); });
}

void Family::ThenRefund(std::int64_t amount, Millis wait) {
  if (Draw(0, 1) == 0) {
    Then(wait, [this, amount] { return shop_.service.Happen(refundable_, "refund", amount); });
    return;
  }
  Then(wait, [this, amount, key = NextKey()] {
    Made refund;
    return Take(shop_.gateway.Refund(key, refundable_, amount), &refund);
  });
}

void Family::ThenStart(std::string_view pan, bool initiate) {
  Then(Soon(),
       [this, pan, key = NextKey()] { return Take(door_.StoreCard(key, order_, pan), &card_); });
  Then(Millis(0), [this, initiate, key = NextKey()] {
    Note("own_checkout", at_gateway_, false);
    Made started;
    const bool ended = Take(initiate ? door_.Initiate(key, order_, card_.vault_token)
                                     : door_.Authenticate(key, order_, card_.vault_token),
                            &started);
    if (ended && !over_) Note("own_checkout", at_gateway_, true);
    return ended;
  });
}

void Family::PlanHosted() {
  const std::int64_t way = Draw(0, 99);
  NewOrder wanted{.amount = amount_};
  if (way >= 60 && way < 68) wanted.expiration = "PT12S";
  if (way >= 74 && way < 82) wanted.expiration = "PT4S";
  ThenCreate(wanted);
  if (way < 48) {
    ThenPayOnPage(test::kApprovedPan);
    PlanAftermath(Soon());
  } else if (way < 60) {  // a first declined attempt is not the end
    ThenPayOnPage(test::kDeclinedPan);
    ThenPayOnPage(test::kApprovedPan);
    PlanAftermath(Soon());
  } else if (way < 68) {  // nor are all of them, until it expires
    ThenPayOnPage(test::kDeclinedPan);
  } else if (way < 74) {
    Then(Soon(), [this] { return !shop_.service.Submit(order_.url, "action=cancel").empty(); });
  } else if (way < 86) {
    // It expires, or stays new for ever.
  } else if (way < 94) {  // paid twice: see-transactions
    ThenPayOnPage(kSlow);
    ThenPayOnPage(test::kApprovedPan);
  } else {
    Then(Soon(), [this] {
      const std::string challenge = shop_.service.PayOnPage(order_.url, kChallenge);
      if (challenge.empty()) return false;
      Then(Soon(),
           [this, challenge] { return !shop_.service.Submit(challenge, "outcome=pass").empty(); });
      return true;
    });
  }
}

void Family::PlanPickedByMerchant() {
  ThenCreate({.amount = amount_, .method = "credit-card"});
  const bool fails = Draw(0, 99) < 50;
  Then(Soon(), [this, fails] {
    const std::string_view pan = fails ? test::kDeclinedPan : test::kApprovedPan;
    return !shop_.service.EnterCard(order_.url, pan).empty();
  });
  // An order in error that later completes.
  if (fails && Draw(0, 99) < 60) ThenHappen("approve", Soon());
  if (!fails) PlanAftermath(Soon());
}

void Family::PlanOwnCheckout(bool account_funding) {
  ThenCreate({.amount = amount_, .method = "credit-card", .account_funding = account_funding});
  const std::int64_t way = Draw(0, 99);
  const bool initiate = Draw(0, 1) == 0;
  const Millis held = shop_.cluster->intervals().own_checkout_hold + Millis(2'500);
  if (way < 60) {
    ThenStart(test::kApprovedPan, initiate);
    PlanAftermath(held);
  } else if (way < 75) {
    ThenStart(account_funding ? kNotForFunding : test::kDeclinedPan, initiate);
    if (Draw(0, 1) == 0) ThenHappen("approve", Soon());
  } else if (way < 83) {
    ThenStart(kIssuerFails, initiate);
  } else if (way < 95) {  // 3-D Secure, passed or failed
    ThenStart(kChallenge, false);
    const bool passes = Draw(0, 99) < 70;
    Then(Soon(), [this, passes] {
      const std::string page = shop_.cluster->stack().sandbox_url() + "/pay/" + order_.id + "/" +
                               order_.transaction + "/challenge/";
      return !shop_.service.Submit(page, passes ? "outcome=pass" : "outcome=fail").empty();
    });
  } else {
    ThenStart(kSlow, initiate);
  }
}

void Family::PlanAuthorization() {
  ThenCreate({.amount = amount_, .method = "credit-card", .capture_later = true});
  // Where Tollbridge knows nothing of an own checkout, its order is told when it is held no longer,
  // or with what was made of it meanwhile: then the order of outcomes is not one for all runs.
  const bool own_checkout = Draw(0, 1) == 0 && (at_gateway_ || shop_.options.disturbed);
  const bool declined = Draw(0, 99) < 15;
  const std::string_view pan = declined ? test::kDeclinedPan : test::kApprovedPan;
  if (own_checkout) {
    ThenStart(pan, false);
  } else {
    Then(Soon(), [this, pan] { return !shop_.service.EnterCard(order_.url, pan).empty(); });
  }
  if (declined) return;
  const std::int64_t way = Draw(0, 99);
  if (way < 55) {
    Then(Millis(2'500), [this, key = NextKey()] {
      Made capture;
      if (!Take(door_.Capture(key, order_), &capture) || over_) return over_;
      refundable_ = capture.id;
      return true;
    });
    PlanAftermath(Soon());
  } else if (way < 80) {
    Then(Millis(2'500), [this, key = NextKey()] {
      Made made;
      return Take(door_.Void(key, order_), &made);
    });
  }
}

void Family::PlanPayout() {
  const std::string_view pan = Draw(0, 99) < 80 ? test::kApprovedPan : kNotForPayouts;
  Then(Millis(0), [this, pan, key = NextKey()] {
    if (!Take(door_.PayOut(key, amount_, pan), &order_) || over_) return over_;
    Note("created", at_gateway_, true);
    return true;
  });
}

void Family::PlanLink() {
  Then(Millis(0), [this, key = NextKey()] { return Take(door_.MakeLink(key, amount_), &card_); });
  const bool declined_first = Draw(0, 99) < 30;
  const auto attempt = [this](std::string_view pan) {
    const std::string page = shop_.cluster->stack().sandbox_url() + "/pay/link/" + card_.id + "/";
    return !shop_.service.PayOnPage(page, pan).empty();
  };
  if (declined_first) Then(Soon(), [attempt] { return attempt(test::kDeclinedPan); });
  Then(Soon(), [attempt] { return attempt(test::kApprovedPan); });
}

void Family::PlanAftermath(Millis wait) {
  const std::int64_t way = Draw(0, 99);
  if (way < 25) {
    ThenRefund(amount_, wait);
  } else if (way < 40) {
    ThenRefund(amount_ / 2, wait);
    ThenRefund(amount_ / 4, Soon());
  } else if (way < 50) {
    ThenHappen("chargeback", wait);
  } else if (way < 58) {
    ThenHappen("reversal", wait);
  } else if (way < 62) {
    ThenRefund(amount_ / 2, wait);
    ThenHappen("chargeback", Soon());
  }
}

}  // namespace tollbridge::pipeline
