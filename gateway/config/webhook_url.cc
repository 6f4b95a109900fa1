#include "gateway/config/webhook_url.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <mutex>
#include <utility>

#include "base/telemetry/log.h"
#include "services/domain/project.h"
#include "services/webhooks/path_tokens.h"

namespace tollbridge::gateway {
namespace {

class Source {
 public:
  Source(std::string project, const std::string& ingress_url, std::shared_ptr<SecretFile> file)
      : project_(std::move(project)),
        before_token_(absl::StrCat(ingress_url, "/webhooks/")),
        file_(std::move(file)),
        seen_(file_->Get()),
        token_(seen_->front()) {}

  std::string Get() {
    const SecretFile::Lines lines = file_->Get();
    const std::lock_guard lock(mutex_);
    if (lines != seen_) {
      seen_ = lines;
      Take();
    }
    return absl::StrCat(before_token_, token_);
  }

 private:
  void Take() {
    const domain::Project project{.name = project_, .id = {}};
    const absl::Status good = webhooks::PathTokens::Create(
                                  {{.project = &project, .tokens = *seen_, .file = file_->path()}})
                                  .status();
    if (good.ok()) {
      token_ = seen_->front();
    } else {
      telemetry::Log(
          telemetry::Severity::kError, "webhook_tokens_refused",
          {{"reason", std::string(good.message())}, {"kept", "the token of new orders"}});
    }
  }

  const std::string project_;
  const std::string before_token_;
  const std::shared_ptr<SecretFile> file_;
  std::mutex mutex_;
  SecretFile::Lines seen_;
  std::string token_;
};

}  // namespace

LiveText WebhookUrl(const std::string& project, const std::string& ingress_url,
                    std::shared_ptr<SecretFile> tokens) {
  const auto source = std::make_shared<Source>(project, ingress_url, std::move(tokens));
  return LiveText([source] { return source->Get(); });
}

}  // namespace tollbridge::gateway
