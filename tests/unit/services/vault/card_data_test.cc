#include "services/vault/card_data.h"

#include <string>

#include <gtest/gtest.h>

#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::vault {
namespace {

TEST(CardRequest, CopiesShareOneRequestThatOneOfThemWipes) {
  v1::StoreCardRequest request;
  request.set_pan("4111111111111111");
  const CardRequest<v1::StoreCardRequest> card(request, &v1::StoreCardRequest::mutable_pan);
  // As std::function copies what it holds.
  const CardRequest<v1::StoreCardRequest> copy = card;
  EXPECT_EQ(&copy.request(), &card.request());
  copy.Wipe();
  EXPECT_TRUE(card.request().pan().empty());
}

}  // namespace
}  // namespace tollbridge::vault
