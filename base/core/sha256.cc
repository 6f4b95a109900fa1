#include "base/core/sha256.h"

#include <array>
#include <stdexcept>

#include <openssl/evp.h>

namespace tollbridge {
namespace {

void Require(int result) {
  if (result != 1) throw std::runtime_error("SHA-256 is not to be had from libcrypto");
}

}  // namespace

void Sha256::Deleter::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  Require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::Update(std::string_view bytes) {
  Require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  Require(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace tollbridge
