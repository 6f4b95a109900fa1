#ifndef TOLLBRIDGE_GATEWAY_CONFIG_SECRET_CHECK_H_
#define TOLLBRIDGE_GATEWAY_CONFIG_SECRET_CHECK_H_

#include <absl/status/status.h>

#include "gateway/config/config.h"
#include "gateway/config/needs.h"
#include "gateway/config/secrets.h"

namespace tollbridge::gateway {

/// What production refuses of the files of secrets that the roles need: one that others than its
/// owner and group may read or write, one file for two purposes, and two projects with one API key.
/// INVALID_ARGUMENT names every setting and file, a line each, and nothing of their content. OK in
/// development.
absl::Status CheckSecretFiles(const Config& config, const Needs& needs, const Secrets& secrets);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_CONFIG_SECRET_CHECK_H_
