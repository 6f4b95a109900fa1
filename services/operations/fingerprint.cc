#include "services/operations/fingerprint.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/unknown_field_set.h>
#include <google/protobuf/wire_format_lite.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "base/core/status_macros.h"
#include "services/domain/deterministic.h"
#include "services/domain/errors.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::operations {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsSecurityCode(const FieldDescriptor& field) {
  return field.name() == "cvc" && field.options().GetExtension(options::v1::field).sensitivity() ==
                                      options::v1::SENSITIVITY_CARD_DATA;
}

std::string Element(const std::string& path, const FieldDescriptor& field) {
  return path.empty() ? std::string(field.name()) : path + "." + std::string(field.name());
}

/// Whether a message holds, at any depth, what is not compared or not known: a security code or an
/// unknown field.
bool HoldsMore(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) return true;
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  return std::ranges::any_of(fields, [&](const FieldDescriptor* field) {
    if (IsSecurityCode(*field)) return true;
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return false;
    if (!field->is_repeated()) return HoldsMore(reflection.GetMessage(message, field));
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      if (HoldsMore(reflection.GetRepeatedMessage(message, field, i))) return true;
    }
    return false;
  });
}

/// Clears security codes at any depth and notes each message that holds unknown fields.
void Prepare(Message& message, const std::string& path,
             std::vector<domain::FieldViolation>& violations) {
  const Reflection& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) {
    violations.push_back({path, "holds a field that this version of the interface does not have"});
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (IsSecurityCode(*field)) {
      reflection.ClearField(&message, field);
      continue;
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const std::string name = Element(path, *field);
    if (!field->is_repeated()) {
      Prepare(*reflection.MutableMessage(&message, field), name, violations);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      Prepare(*reflection.MutableRepeatedMessage(&message, field, i),
              name + "[" + std::to_string(i) + "]", violations);
    }
  }
}

/// The fields of any request that are not compared. The operation's id is made of the key and of
/// the project, which may be given another name.
bool IsOfOperation(const FieldDescriptor* field) {
  return field != nullptr && (field->name() == "idempotency_key" || field->name() == "project");
}

/// What is compared of a request that holds no more: a copy would cost more than all else here.
std::string WithoutOperation(const Message& request) {
  using google::protobuf::internal::WireFormatLite;
  const std::string bytes = domain::SerializeDeterministically(request);
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  std::string kept;
  kept.reserve(bytes.size());
  for (int begin = 0; const std::uint32_t tag = input.ReadTag();) {
    const FieldDescriptor* field =
        request.GetDescriptor()->FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    WireFormatLite::SkipField(&input, tag);
    const int end = input.CurrentPosition();
    if (!IsOfOperation(field)) kept.append(bytes.begin() + begin, bytes.begin() + end);
    begin = end;
  }
  return kept;
}

/// The same of any request; what it holds that nobody knows is a violation.
absl::StatusOr<std::string> Compared(const Message& request) {
  if (!HoldsMore(request)) return WithoutOperation(request);
  const std::unique_ptr<Message> copy(request.New());
  copy->CopyFrom(request);
  std::vector<domain::FieldViolation> violations;
  Prepare(*copy, "", violations);
  if (!violations.empty()) return domain::InvalidRequest(std::move(violations));
  return WithoutOperation(*copy);
}

void Require(bool done) {
  if (!done) throw std::runtime_error("HMAC-SHA-256 is not to be had from libcrypto");
}

struct MacDeleter {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using Mac = std::unique_ptr<EVP_MAC_CTX, MacDeleter>;

Mac NewHmacSha256() {
  const std::unique_ptr<EVP_MAC, MacDeleter> hmac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  Require(hmac != nullptr);
  Mac mac(EVP_MAC_CTX_new(hmac.get()));
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 2> parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  Require(mac != nullptr && EVP_MAC_CTX_set_params(mac.get(), parameters.data()) == 1);
  return mac;
}

std::string HmacSha256(const std::string& key, std::string_view data) {
  // To have libcrypto find and make one takes it twice as long as the rest.
  thread_local const Mac mac = NewHmacSha256();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  std::size_t size = 0;
  Require(EVP_MAC_init(mac.get(), reinterpret_cast<const unsigned char*>(key.data()), key.size(),
                       nullptr) == 1 &&
          EVP_MAC_update(mac.get(), reinterpret_cast<const unsigned char*>(data.data()),
                         data.size()) == 1 &&
          EVP_MAC_final(mac.get(), digest.data(), &size, digest.size()) == 1);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

absl::StatusOr<std::vector<ports::Fingerprint>> Fingerprints(std::string_view rpc,
                                                             const Message& request,
                                                             const KeyRing& keys) {
  TB_ASSIGN_OR_RETURN(const std::string compared, Compared(request));
  std::string data(rpc);
  data.push_back('\0');
  data.append(compared);
  std::vector<ports::Fingerprint> fingerprints;
  fingerprints.reserve(keys.keys.size());
  for (const Key& key : keys.keys) fingerprints.push_back({key.id, HmacSha256(key.secret, data)});
  return fingerprints;
}

}  // namespace tollbridge::operations
