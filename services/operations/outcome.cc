#include "services/operations/outcome.h"

#include <cstdint>
#include <memory>
#include <optional>

#include <absl/status/status.h>
#include <openssl/evp.h>
#include <zlib.h>

#include "services/operations/outcome_packing.h"
#include "services/ports/operation_store.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::operations {
namespace {

// Layout: version, flags, length of the key id, key id, nonce, ciphertext, tag. The part before the
// nonce is authenticated together with the operation id.
constexpr char kVersion = 1;
constexpr char kPlain = 0;
constexpr char kCompressed = 1;
constexpr char kPacked = 2;
constexpr std::size_t kFixedHeader = 3;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

struct CipherDeleter {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, CipherDeleter>;

/// One for each thread, to be given key and nonce: to have libcrypto find and make one takes it
/// longer than an outcome does. nullptr when the library fails.
EVP_CIPHER_CTX* Aes256Gcm() {
  thread_local Cipher cipher;
  if (cipher == nullptr) {
    cipher.reset(EVP_CIPHER_CTX_new());
    if (cipher != nullptr &&
        EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, nullptr, nullptr, 1) != 1) {
      cipher = nullptr;
    }
  }
  return cipher.get();
}

const unsigned char* In(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* Out(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

std::string AuthenticatedData(std::string_view header, const Uuid& operation_id) {
  return std::string(header) + operation_id.ToBytes();
}

/// Ciphertext and tag; nullopt when the library fails.
std::optional<std::string> Encrypt(std::string_view plain, const Key& key, std::string_view nonce,
                                   std::string_view authenticated) {
  EVP_CIPHER_CTX* const cipher = Aes256Gcm();
  std::string text(plain.size() + kTagBytes, '\0');
  int size = 0;
  const bool ok =
      cipher != nullptr &&
      EVP_EncryptInit_ex(cipher, nullptr, nullptr, In(key.secret), In(nonce)) == 1 &&
      EVP_EncryptUpdate(cipher, nullptr, &size, In(authenticated),
                        static_cast<int>(authenticated.size())) == 1 &&
      EVP_EncryptUpdate(cipher, Out(text), &size, In(plain), static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(cipher, Out(text) + plain.size(), &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, kTagBytes, Out(text) + plain.size()) == 1;
  if (!ok) return std::nullopt;
  return text;
}

/// The plain text; nullopt when the tag does not fit.
std::optional<std::string> Decrypt(std::string_view text, std::string_view tag, const Key& key,
                                   std::string_view nonce, std::string_view authenticated) {
  EVP_CIPHER_CTX* const cipher = Aes256Gcm();
  std::string plain(text.size(), '\0');
  std::string expected(tag);
  int size = 0;
  const bool ok =
      cipher != nullptr &&
      EVP_DecryptInit_ex(cipher, nullptr, nullptr, In(key.secret), In(nonce)) == 1 &&
      EVP_DecryptUpdate(cipher, nullptr, &size, In(authenticated),
                        static_cast<int>(authenticated.size())) == 1 &&
      EVP_DecryptUpdate(cipher, Out(plain), &size, In(text), static_cast<int>(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, kTagBytes, Out(expected)) == 1 &&
      EVP_DecryptFinal_ex(cipher, Out(plain) + plain.size(), &size) == 1;
  if (!ok) return std::nullopt;
  return plain;
}

/// Four bytes of the plain size, then a zlib stream; nullopt when the library fails.
std::optional<std::string> Compress(std::string_view plain) {
  uLongf size = compressBound(static_cast<uLong>(plain.size()));
  std::string out(size, '\0');
  if (compress2(Out(out), &size, In(plain), static_cast<uLong>(plain.size()),
                Z_DEFAULT_COMPRESSION) != Z_OK) {
    return std::nullopt;
  }
  out.resize(size);
  const auto length = static_cast<std::uint32_t>(plain.size());
  std::string prefix;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    prefix.push_back(static_cast<char>((length >> shift) & 0xFFU));
  }
  return prefix + out;
}

std::optional<std::string> Decompress(std::string_view packed) {
  constexpr std::size_t kPrefix = 4;
  if (packed.size() < kPrefix) return std::nullopt;
  std::uint32_t length = 0;
  for (const char c : packed.substr(0, kPrefix)) {
    length = (length << 8U) | static_cast<unsigned char>(c);
  }
  if (length > ports::kMaxOutcomeBytes) return std::nullopt;
  std::string plain(length, '\0');
  uLongf size = length;
  const std::string_view stream = packed.substr(kPrefix);
  if (uncompress(Out(plain), &size, In(stream), static_cast<uLong>(stream.size())) != Z_OK ||
      size != length) {
    return std::nullopt;
  }
  return plain;
}

absl::Status TooLarge() { return absl::ResourceExhaustedError("the outcome is too large to keep"); }

absl::Status Damaged() { return absl::DataLossError("a stored outcome is damaged"); }

}  // namespace

absl::StatusOr<std::string> SealOutcome(const storage::v1::StoredOutcome& outcome,
                                        const Uuid& operation_id, const KeyRing& keys,
                                        ports::Rng& rng) {
  std::string plain = outcome.SerializeAsString();
  if (plain.size() > ports::kMaxOutcomeBytes) return TooLarge();
  char flags = kPlain;
  if (plain.size() > kCompressAbove) {
    std::optional<std::string> packed = Compress(plain);
    if (!packed.has_value()) return absl::InternalError("compressing an outcome failed");
    plain = *std::move(packed);
    flags = kCompressed;
  } else {
    std::optional<std::string> packed = PackOutcome(plain);
    if (!packed.has_value()) return absl::InternalError("packing an outcome failed");
    if (packed->size() < plain.size()) {
      plain = *std::move(packed);
      flags = kPacked;
    }
  }
  const Key& key = keys.current();
  std::string sealed = {kVersion, flags, static_cast<char>(key.id.size())};
  sealed.append(key.id);
  const std::string nonce = rng.Bytes(kNonceBytes);
  const std::optional<std::string> text =
      Encrypt(plain, key, nonce, AuthenticatedData(sealed, operation_id));
  if (!text.has_value()) return absl::InternalError("encrypting an outcome failed");
  sealed.append(nonce).append(*text);
  if (sealed.size() > ports::kMaxOutcomeBytes) return TooLarge();
  return sealed;
}

std::optional<std::string> KeyIdOf(std::string_view head) {
  if (head.size() < kFixedHeader || head[0] != kVersion) return std::nullopt;
  const std::size_t length = static_cast<unsigned char>(head[2]);
  if (length == 0 || head.size() < kFixedHeader + length) return std::nullopt;
  return std::string(head.substr(kFixedHeader, length));
}

absl::StatusOr<storage::v1::StoredOutcome> OpenOutcome(std::string_view sealed,
                                                       const Uuid& operation_id,
                                                       const KeyRing& keys) {
  if (sealed.size() < kFixedHeader || sealed[0] != kVersion) return Damaged();
  const std::size_t header_size = kFixedHeader + static_cast<unsigned char>(sealed[2]);
  if (sealed.size() < header_size + kNonceBytes + kTagBytes) return Damaged();
  const std::string_view header = sealed.substr(0, header_size);
  const Key* key = keys.Find(header.substr(kFixedHeader));
  if (key == nullptr) return absl::NotFoundError("no live key opens a stored outcome");
  const std::string_view nonce = sealed.substr(header_size, kNonceBytes);
  const std::string_view body = sealed.substr(header_size + kNonceBytes);
  std::optional<std::string> plain =
      Decrypt(body.substr(0, body.size() - kTagBytes), body.substr(body.size() - kTagBytes), *key,
              nonce, AuthenticatedData(header, operation_id));
  if (plain.has_value() && sealed[1] == kCompressed) plain = Decompress(*plain);
  if (plain.has_value() && sealed[1] == kPacked) {
    plain = UnpackOutcome(*plain, ports::kMaxOutcomeBytes);
  }
  // A later version's form: read as another it could tell what was never answered.
  if (sealed[1] < kPlain || sealed[1] > kPacked) return Damaged();
  storage::v1::StoredOutcome outcome;
  if (!plain.has_value() || !outcome.ParseFromString(*plain)) return Damaged();
  return outcome;
}

}  // namespace tollbridge::operations
