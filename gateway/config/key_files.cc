#include "gateway/config/key_files.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <chrono>

#include "base/core/file_stamp.h"
#include "base/core/status_macros.h"
#include "base/core/tick.h"
#include "base/telemetry/log.h"
#include "gateway/config/secret_file.h"
#include "services/operations/keys.h"

namespace tollbridge::gateway {
namespace {

using operations::KeyRing;
using operations::OperationKeys;

constexpr std::chrono::seconds kLookInterval{1};
constexpr const char* kFingerprints = "operations.fingerprint_keys_file";
constexpr const char* kOutcomes = "operations.outcome_keys_file";

absl::Status About(const std::string& setting, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(setting, ": ", status.message()));
}

absl::StatusOr<KeyRing> ReadKeys(const std::string& setting, const std::string& path) {
  const absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return About(setting, content.status());
  absl::StatusOr<KeyRing> ring = operations::ParseKeyRing(*content);
  if (!ring.ok()) return About(absl::StrCat(setting, ": ", path), ring.status());
  return ring;
}

absl::Status CheckApart(const OperationKeys& keys) {
  return About("operations", operations::CheckApart(keys.fingerprints, keys.outcomes));
}

/// The ids alone, the current one first.
std::string IdsOf(const KeyRing& ring) {
  return absl::StrJoin(ring.keys, ",", [](std::string* out, const operations::Key& key) {
    absl::StrAppend(out, key.id);
  });
}

}  // namespace

absl::StatusOr<std::shared_ptr<KeyFiles>> KeyFiles::Open(Paths paths,
                                                         std::function<BootTime()> now) {
  std::shared_ptr<KeyFiles> files(new KeyFiles(std::move(paths), std::move(now)));
  OperationKeys keys;
  TB_ASSIGN_OR_RETURN(keys.fingerprints, ReadKeys(kFingerprints, files->paths_.fingerprints));
  TB_ASSIGN_OR_RETURN(keys.outcomes, ReadKeys(kOutcomes, files->paths_.outcomes));
  TB_RETURN_IF_ERROR(CheckApart(keys));
  files->keys_ = std::make_shared<const OperationKeys>(std::move(keys));
  files->next_look_ = NextTick(files->now_(), kLookInterval);
  return files;
}

KeyFiles::Keys KeyFiles::Get() {
  Keys before;
  {
    const std::lock_guard lock(mutex_);
    if (looking_ || now_() < next_look_) return keys_;
    looking_ = true;
    before = keys_;
  }
  Keys after = Look(before);
  const std::lock_guard lock(mutex_);
  looking_ = false;
  next_look_ = NextTick(now_(), kLookInterval);
  keys_ = std::move(after);
  return keys_;
}

KeyRing KeyFiles::Follow(const std::string& setting, const std::string& path, const KeyRing& before,
                         absl::Status& problem) {
  // To open what is no file could wait for somebody who writes.
  if (!StampOf({path}).blocking.empty()) {
    problem.Update(absl::InvalidArgumentError(absl::StrCat(setting, ": ", path, ": is no file")));
    return before;
  }
  absl::StatusOr<KeyRing> next = ReadKeys(setting, path);
  absl::Status good = next.status();
  if (good.ok()) {
    good = About(absl::StrCat(setting, ": ", path), operations::CheckSuccessor(before, *next));
  }
  if (good.ok()) return *std::move(next);
  problem.Update(good);
  return before;
}

KeyFiles::Keys KeyFiles::Look(const Keys& before) {
  if (!quiet_.Look(StampOf({paths_.fingerprints, paths_.outcomes}), now_())) return before;
  absl::Status problem;
  OperationKeys next{
      .fingerprints = Follow(kFingerprints, paths_.fingerprints, before->fingerprints, problem),
      .outcomes = Follow(kOutcomes, paths_.outcomes, before->outcomes, problem)};
  if (const absl::Status apart = CheckApart(next); !apart.ok()) {
    problem.Update(apart);
    next = *before;
  }
  NoteRefusal(problem);
  if (next == *before) return before;
  telemetry::Log(
      telemetry::Severity::kInfo, "operation_keys_changed",
      {{"fingerprint_keys", IdsOf(next.fingerprints)}, {"outcome_keys", IdsOf(next.outcomes)}});
  return std::make_shared<const OperationKeys>(std::move(next));
}

void KeyFiles::NoteRefusal(const absl::Status& problem) {
  if (!problem.ok()) NoteSecretFileFailure(SecretKind::kOperationKeys);
  const std::string reason(problem.message());
  if (!problem.ok() && reason != refused_) {
    telemetry::Log(telemetry::Severity::kError, "operation_keys_refused",
                   {{"reason", reason}, {"kept", "the last good keys"}});
  }
  refused_ = reason;
}

}  // namespace tollbridge::gateway
