// What every .proto has to fulfil beyond what protoc and buf check: the codec, the inbound pipe and
// the rules on secrets read it from descriptors, so a slip here is a slip everywhere.

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <gtest/gtest.h>

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;
namespace options = tollbridge::options::v1;

std::vector<const pb::FileDescriptor*> Files() {
  const fs::path root = fs::path(TOLLBRIDGE_SOURCE_DIR) / "proto";
  std::vector<const pb::FileDescriptor*> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".proto") continue;
    const std::string name = entry.path().lexically_relative(root).string();
    const auto* const file = pb::DescriptorPool::generated_pool()->FindFileByName(name);
    EXPECT_NE(file, nullptr) << name << " is not compiled in";
    if (file != nullptr) files.push_back(file);
  }
  return files;
}

void AddTypes(const pb::Descriptor* type, std::vector<const pb::Descriptor*>* types) {
  if (type->options().map_entry()) return;
  types->push_back(type);
  for (int i = 0; i < type->nested_type_count(); ++i) AddTypes(type->nested_type(i), types);
}

std::vector<const pb::Descriptor*> Types() {
  std::vector<const pb::Descriptor*> types;
  for (const auto* const file : Files()) {
    for (int i = 0; i < file->message_type_count(); ++i) AddTypes(file->message_type(i), &types);
  }
  return types;
}

bool IsWire(const pb::Descriptor* type) { return type->options().GetExtension(options::wire); }

const options::FieldPolicy& PolicyOf(const pb::FieldDescriptor& field) {
  return field.options().GetExtension(options::field);
}

// Calls `check` for each field of each message that goes over the wire.
void ForEachWireField(const std::function<void(const pb::FieldDescriptor&)>& check) {
  int count = 0;
  for (const auto* const type : Types()) {
    if (!IsWire(type)) continue;
    for (int i = 0; i < type->field_count(); ++i) {
      check(*type->field(i));
      ++count;
    }
  }
  EXPECT_GT(count, 100);
}

// Calls `check` for each field of all of ours.
void ForEachField(const std::function<void(const pb::FieldDescriptor&)>& check) {
  for (const auto* const type : Types()) {
    for (int i = 0; i < type->field_count(); ++i) check(*type->field(i));
  }
}

std::vector<std::string> FieldsOf(options::Sensitivity sensitivity) {
  std::vector<std::string> names;
  ForEachField([&](const pb::FieldDescriptor& field) {
    if (PolicyOf(field).sensitivity() == sensitivity) names.push_back(field.full_name());
  });
  return names;
}

/// Of the services that are ours; gRPC serves its health service by itself.
std::vector<const pb::MethodDescriptor*> Methods() {
  std::vector<const pb::MethodDescriptor*> methods;
  for (const auto* const file : Files()) {
    if (!file->package().starts_with("tollbridge.")) continue;
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        methods.push_back(file->service(i)->method(j));
      }
    }
  }
  return methods;
}

TEST(ProtoWire, EveryScalarIsOptionalSoThatZeroDiffersFromAbsent) {
  ForEachWireField([](const pb::FieldDescriptor& field) {
    EXPECT_TRUE(field.is_repeated() || field.has_presence()) << field.full_name();
  });
}

TEST(ProtoWire, WhatIsBelowAWireMessageIsWireToo) {
  ForEachWireField([](const pb::FieldDescriptor& field) {
    const pb::Descriptor* type = field.message_type();
    if (field.is_map()) type = type->map_value()->message_type();
    if (type == nullptr || type == pb::Timestamp::descriptor() ||
        type == pb::Struct::descriptor() || PolicyOf(field).local()) {
      return;
    }
    EXPECT_TRUE(IsWire(type)) << field.full_name();
  });
}

TEST(ProtoWire, NamesAreUniqueWithinAMessage) {
  for (const auto* const type : Types()) {
    std::set<std::string> names;
    for (int i = 0; i < type->field_count(); ++i) {
      const options::FieldPolicy& policy = PolicyOf(*type->field(i));
      if (policy.local() || !policy.raw_text_of().empty()) continue;
      const std::string& name =
          policy.wire_name().empty() ? type->field(i)->name() : policy.wire_name();
      EXPECT_TRUE(names.insert(name).second) << type->full_name() << " " << name;
    }
  }
}

TEST(ProtoWire, EnumsHaveATextForEachValueAndAPlaceForUnknownOnes) {
  int enums = 0;
  ForEachWireField([&](const pb::FieldDescriptor& field) {
    if (field.enum_type() == nullptr) return;
    ++enums;
    const pb::FieldDescriptor* const beside =
        field.containing_type()->FindFieldByName(field.name() + "_text");
    ASSERT_NE(beside, nullptr) << field.full_name();
    EXPECT_EQ(PolicyOf(*beside).raw_text_of(), field.name());
    std::set<std::string> texts;
    for (int i = 0; i < field.enum_type()->value_count(); ++i) {
      const pb::EnumValueDescriptor& value = *field.enum_type()->value(i);
      const std::string& text = value.options().GetExtension(options::wire_value);
      EXPECT_EQ(text.empty(), value.number() == 0) << value.full_name();
      EXPECT_TRUE(texts.insert(text).second) << value.full_name();
    }
  });
  EXPECT_EQ(enums, 3);  // Order, transaction and payment link: all other sets are open strings.
}

TEST(ProtoSecrets, CardDataIsMarked) {
  EXPECT_THAT(
      FieldsOf(options::SENSITIVITY_CARD_DATA),
      ::testing::UnorderedElementsAre(
          "tollbridge.common.v1.ExternalAuthenticationDetails.authentication_value",
          "tollbridge.common.v1.PaymentMethodDetails.cvc",
          "tollbridge.common.v1.PaymentMethodDetails.receiver_account_number",
          "tollbridge.payments.v1.NewPaymentMethodDetails.cvc",
          "tollbridge.payments.v1.NewPaymentMethodDetails.receiver_account_number",
          "tollbridge.payments.v1.AuthenticateTransactionRequest.cvc",
          "tollbridge.payments.v1.AuthenticateTransactionRequest.cavv",
          "tollbridge.payments.v1.ExecuteWalletBPaymentRequest.cryptogram",
          "tollbridge.payouts.v1.CreatePayoutRequest.cvc", "tollbridge.payouts.v1.PayoutCard.pan",
          "tollbridge.vault.v1.ExchangeWalletBTokenRequest.wallet_pay_message",
          "tollbridge.vault.v1.StoreCardRequest.pan",
          "tollbridge.vault.v1.WalletBToken.cryptogram"));
}

TEST(ProtoSecrets, CredentialsAreMarked) {
  EXPECT_THAT(FieldsOf(options::SENSITIVITY_CREDENTIAL),
              ::testing::UnorderedElementsAre(
                  "tollbridge.common.v1.Order.order_url", "tollbridge.common.v1.Order.webhook_url",
                  "tollbridge.common.v1.PaymentLink.payment_url",
                  "tollbridge.common.v1.PaymentLink.webhook_url",
                  "tollbridge.common.v1.PaymentMethodDetails.setup_token",
                  "tollbridge.common.v1.PaymentMethodDetails.vault_token",
                  "tollbridge.common.v1.Transaction.payment_url",
                  "tollbridge.payments.v1.CreateOrderRequest.webhook_url",
                  "tollbridge.payments.v1.NewPaymentMethodDetails.vault_token",
                  "tollbridge.payments.v1.InitiateTransactionRequest.vault_token",
                  "tollbridge.payments.v1.AuthenticateTransactionRequest.vault_token",
                  "tollbridge.payments.v1.AuthenticateAnswer.redirect_url",
                  "tollbridge.payments.v1.AuthenticateTransactionResponse.redirect_url",
                  "tollbridge.payments.v1.CreatePaymentLinkRequest.webhook_url",
                  "tollbridge.payments.v1.CreateWalletASessionResponse.session_data",
                  "tollbridge.payments.v1.ExecuteWalletBPaymentRequest.vault_token",
                  "tollbridge.payments.v1.WalletBPayment.redirect_url",
                  "tollbridge.payouts.v1.CreatePayoutRequest.vault_token",
                  "tollbridge.vault.v1.ExchangeWalletBTokenRequest.setup_token",
                  "tollbridge.vault.v1.StoreCardRequest.setup_token",
                  "tollbridge.vault.v1.StoredCard.vault_token",
                  "tollbridge.vault.v1.WalletBToken.vault_token"));
}

TEST(ProtoSecrets, CustomerDataIsMarked) {
  EXPECT_THAT(
      FieldsOf(options::SENSITIVITY_CUSTOMER_DATA),
      ::testing::UnorderedElementsAre(
          "tollbridge.common.v1.Order.customer", "tollbridge.common.v1.Order.extra",
          "tollbridge.common.v1.PaymentMethodDetails.cardholder_name",
          "tollbridge.payments.v1.CreateOrderRequest.customer",
          "tollbridge.payments.v1.CreateOrderRequest.extra",
          "tollbridge.payouts.v1.CreatePayoutRequest.customer",
          "tollbridge.payouts.v1.CreatePayoutRequest.extra",
          "tollbridge.payouts.v1.PayoutCard.name", "tollbridge.vault.v1.StoreCardRequest.name"));
}

// A new field of a known sensitive name cannot come in unmarked.
TEST(ProtoSecrets, NamesThatStandForSecretsAreNeverUnmarked) {
  const std::set<std::string> names = {"pan",
                                       "cvc",
                                       "cavv",
                                       "cryptogram",
                                       "receiver_account_number",
                                       "vault_token",
                                       "setup_token",
                                       "payment_url",
                                       "order_url",
                                       "redirect_url",
                                       "webhook_url",
                                       "session_data",
                                       "wallet_pay_message"};
  int found = 0;
  ForEachField([&](const pb::FieldDescriptor& field) {
    if (!names.contains(field.name())) return;
    ++found;
    EXPECT_NE(PolicyOf(field).sensitivity(), options::SENSITIVITY_UNSPECIFIED) << field.full_name();
  });
  EXPECT_GT(found, 5);
}

TEST(ProtoMethods, EachSaysWhatItDoesWhoMayAndForHowLong) {
  EXPECT_FALSE(Methods().empty());
  for (const auto* const method : Methods()) {
    SCOPED_TRACE(method->full_name());
    const options::MethodPolicy& policy = method->options().GetExtension(options::policy);
    EXPECT_NE(policy.effect(), options::EFFECT_UNSPECIFIED);
    EXPECT_THAT(policy.permission(), ::testing::MatchesRegex("[a-z]+\\.[a-z]+"));
    EXPECT_GT(policy.default_deadline().seconds(), 0);
  }
}

TEST(ProtoMethods, RequestsNameTheProjectAndMutationsAKey) {
  for (const auto* const method : Methods()) {
    SCOPED_TRACE(method->full_name());
    const pb::Descriptor& request = *method->input_type();
    const pb::FieldDescriptor* const project = request.FindFieldByName("project");
    ASSERT_NE(project, nullptr);
    EXPECT_EQ(PolicyOf(*project).local(), IsWire(&request));
    if (method->options().GetExtension(options::policy).effect() != options::EFFECT_MUTATION) {
      continue;
    }
    const pb::FieldDescriptor* const key = request.FindFieldByName("idempotency_key");
    ASSERT_NE(key, nullptr);
    EXPECT_EQ(PolicyOf(*key).local(), IsWire(&request));
    const options::FieldRules& rules = key->options().GetExtension(options::rules);
    EXPECT_TRUE(rules.required());
    EXPECT_EQ(rules.format(), options::FORMAT_IDEMPOTENCY_KEY);
  }
}

TEST(ProtoMethods, OneThatTakesOrGivesCardDataSaysSo) {
  const std::function<bool(const pb::Descriptor*, std::set<const pb::Descriptor*>*)> carries =
      [&](const pb::Descriptor* type, std::set<const pb::Descriptor*>* seen) {
        if (!seen->insert(type).second) return false;
        for (int i = 0; i < type->field_count(); ++i) {
          const pb::FieldDescriptor& field = *type->field(i);
          if (PolicyOf(field).sensitivity() == options::SENSITIVITY_CARD_DATA) return true;
          if (field.message_type() != nullptr && carries(field.message_type(), seen)) return true;
        }
        return false;
      };
  for (const auto* const method : Methods()) {
    std::set<const pb::Descriptor*> seen;
    if (!carries(method->input_type(), &seen)) continue;
    EXPECT_TRUE(method->options().GetExtension(options::policy).carries_card_data())
        << method->full_name();
  }
}

TEST(ProtoRules, FitTheTypeOfTheirField) {
  ForEachField([](const pb::FieldDescriptor& field) {
    const options::FieldRules& rules = field.options().GetExtension(options::rules);
    SCOPED_TRACE(field.full_name());
    const bool is_text = field.type() == pb::FieldDescriptor::TYPE_STRING;
    if (rules.format() != options::FORMAT_UNSPECIFIED || rules.allowed_size() > 0) {
      EXPECT_TRUE(is_text);
    }
    if (rules.has_min() || rules.has_max()) {
      EXPECT_EQ(field.cpp_type(), pb::FieldDescriptor::CPPTYPE_INT64);
    }
    if (rules.max_items() > 0) {
      EXPECT_TRUE(field.is_repeated());
    }
    if (rules.max_bytes() > 0) {
      EXPECT_TRUE(is_text || field.message_type() != nullptr);
    }
  });
}

}  // namespace
}  // namespace tollbridge
