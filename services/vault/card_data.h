#ifndef TOLLBRIDGE_SERVICES_VAULT_CARD_DATA_H_
#define TOLLBRIDGE_SERVICES_VAULT_CARD_DATA_H_

#include <memory>
#include <string>
#include <utility>

#include "base/core/wipe.h"

namespace tollbridge::vault {

/// The one copy of a request's card data that is ours: kept from the plan to the sending, and wiped
/// when it was sent or the plan ends. Copies of this share it. One shard.
template <typename Request>
class CardRequest {
 public:
  /// `card_data` names the string of the request that is card data, as its mutable_ accessor.
  CardRequest(Request request, std::string* (Request::*card_data)())
      : held_(std::make_shared<Held>(std::move(request), card_data)) {}

  const Request& request() const { return held_->request; }
  void Wipe() const { held_->Wipe(); }

 private:
  struct Held {
    Held(Request made, std::string* (Request::*accessor)())
        : request(std::move(made)), card_data(accessor) {}
    ~Held() { Wipe(); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    void Wipe() { tollbridge::Wipe(*(request.*card_data)()); }

    Request request;
    std::string* (Request::*card_data)();
  };
  std::shared_ptr<Held> held_;
};

}  // namespace tollbridge::vault

#endif  // TOLLBRIDGE_SERVICES_VAULT_CARD_DATA_H_
