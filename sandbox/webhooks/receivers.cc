#include "sandbox/webhooks/receivers.h"

#include <utility>

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kMaxReceivers = 64;

}  // namespace

absl::StatusOr<Receiver*> Receivers::Get(const http::Url& url) {
  if (Receiver* known = Find(url)) {
    known->last_used = ++uses_;
    return known;
  }
  if (url.tls && tls_ == nullptr) {
    auto tls = net::TlsContext::ForClient({});
    if (!tls.ok()) return std::move(tls).status();
    tls_ = *std::move(tls);
  }
  MakeRoom();
  http::ClientOptions options;
  options.base_url = url;
  options.base_url.path.clear();
  options.base_url.query.clear();
  options.tls = url.tls ? tls_ : nullptr;
  options.max_connections = kMaxConnections;
  options.connect_timeout = longest_timeout_;
  options.max_pool_wait = longest_timeout_;
  options.user_agent = "payment-service-sandbox";
  Receiver& receiver = receivers_[url.Origin()];
  receiver.client = std::make_shared<http::Client>(executor_, std::move(options));
  receiver.last_used = ++uses_;
  return &receiver;
}

Receiver* Receivers::Find(const http::Url& url) {
  const auto found = receivers_.find(url.Origin());
  return found == receivers_.end() ? nullptr : &found->second;
}

void Receivers::ForgetWaiting() {
  for (auto& [origin, receiver] : receivers_) receiver.waiting.clear();
}

void Receivers::MakeRoom() {
  if (receivers_.size() < kMaxReceivers) return;
  auto oldest = receivers_.end();
  for (auto it = receivers_.begin(); it != receivers_.end(); ++it) {
    if (!it->second.idle()) continue;
    if (oldest == receivers_.end() || it->second.last_used < oldest->second.last_used) oldest = it;
  }
  if (oldest != receivers_.end()) receivers_.erase(oldest);
}

}  // namespace tollbridge::sandbox
