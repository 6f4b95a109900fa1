#ifndef TOLLBRIDGE_BASE_CORE_SHA256_H_
#define TOLLBRIDGE_BASE_CORE_SHA256_H_

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace tollbridge {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces, in constant memory. Throws std::runtime_error
/// when the library has no such digest, which is a broken installation.
class Sha256 {
 public:
  Sha256();
  void Update(std::string_view bytes);
  /// The digest, 32 bytes. Ends this: nothing may follow.
  std::string Finish();

 private:
  struct Deleter {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Deleter> context_;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_SHA256_H_
