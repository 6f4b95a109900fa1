#include "gateway/commands/store_status_command.h"

#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "gateway/commands/store_status.h"
#include "gateway/config/stores.h"

namespace tollbridge::gateway {
namespace {

struct Options {
  std::string config;
  bool json = false;
};

int Run(const Options& options, const Config& config, const Secrets& secrets) {
  int code = 0;
  boost::json::array stores;
  std::string text;
  for (const Store& store : StoresOf(config)) {
    const absl::StatusOr<StoreStatus> status = ReadStoreStatus(config, store, secrets);
    if (!status.ok()) {
      const std::string about = store.name == kOnlyStore ? "" : " of the store " + store.name;
      code = Fail(absl::Status(status.status().code(),
                               absl::StrCat("Redis", about, ": ", status.status().message())),
                  kNotTried);
      continue;
    }
    if (IsDoubtful(*status) && code == 0) code = kFailed;
    stores.push_back(StoreJson(*status));
    if (!text.empty()) text += '\n';
    text += StoreText(*status);
  }
  if (options.json) {
    std::cout << boost::json::serialize(boost::json::object({{"stores", std::move(stores)}}))
              << "\n";
  } else {
    std::cout << text;
  }
  return code;
}

}  // namespace

void AddStore(CLI::App& app, Action* action) {
  CLI::App* store = app.add_subcommand("store", "the Redis that keeps operations");
  store->require_subcommand(1);
  CLI::App* command =
      store->add_subcommand("status", "its epoch, whether it is doubted and why, its memory");
  const auto options = std::make_shared<Options>();
  AddConfigOption(command, &options->config);
  AddJsonOption(command, &options->json);
  command->callback([options, action] {
    *action = [options] {
      return WithSecrets(options->config, {.redis = true},
                         [&](const Config& config, const Secrets& secrets) {
                           return Run(*options, config, secrets);
                         });
    };
  });
}

}  // namespace tollbridge::gateway
