#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_

#include <string_view>

namespace tollbridge::redis {

// The text of scripts/*.lua, put into the program by the build (embed_scripts.cmake).

/// Goes before each script on operations.
extern const std::string_view kRecordLua;
extern const std::string_view kClaimLua;
extern const std::string_view kBeginStepLua;
extern const std::string_view kFinishLua;
extern const std::string_view kExpireLeasesLua;
extern const std::string_view kReadOperationLua;

extern const std::string_view kLoadFamilyLua;
extern const std::string_view kSaveSnapshotLua;
extern const std::string_view kClearOutboxLua;

extern const std::string_view kTakeDueLua;

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_
