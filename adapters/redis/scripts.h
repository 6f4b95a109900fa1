#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_

#include <string_view>

namespace tollbridge::redis {

// The text of scripts/*.lua, put into the program by the build (embed_scripts.cmake).

/// Goes before each script on operations.
extern const std::string_view kRecordLua;
/// Goes after kRecordLua before those that show records: read_operation, list_operations,
/// close_operation, take_unresolved.
extern const std::string_view kShowLua;
/// Goes after kRecordLua before those that record effects: finish, close_operation, judge_mark.
extern const std::string_view kEffectsLua;

extern const std::string_view kLearnEpochLua;
extern const std::string_view kInitEpochLua;
extern const std::string_view kJoinStoreLua;
extern const std::string_view kLeaveStoreLua;

extern const std::string_view kClaimLua;
extern const std::string_view kReleaseLua;
extern const std::string_view kBeginStepLua;
extern const std::string_view kFinishLua;

extern const std::string_view kTakeUnresolvedLua;
extern const std::string_view kRescheduleLua;
extern const std::string_view kPullDueLua;
extern const std::string_view kSurveyLua;

extern const std::string_view kReadOperationLua;
extern const std::string_view kListOperationsLua;
extern const std::string_view kCloseOperationLua;
extern const std::string_view kJudgeMarkLua;

extern const std::string_view kReadKeyIdsLua;

extern const std::string_view kTakeTransitionsLua;
extern const std::string_view kDropTransitionsLua;
extern const std::string_view kRetireLua;

extern const std::string_view kNoteRefusedLua;
extern const std::string_view kTakeRefusedLua;
extern const std::string_view kDropRefusedLua;

/// Goes before those that read or compare the epoch of families: load_family, load_families,
/// save_snapshot, clear_outbox.
extern const std::string_view kFamilyEpochLua;
/// Goes before those that read or change families: look_at_orders, kFamilyStateLua and kFamilyLua.
extern const std::string_view kSettledLua;
/// Goes behind it before those that read families whole: load_family, load_families.
extern const std::string_view kFamilyStateLua;
extern const std::string_view kLoadFamilyLua;
extern const std::string_view kLoadFamiliesLua;
/// Goes behind it before those that change a family: save_snapshot, note_member, tell_again,
/// enter_due, set_due, note_noticed, remove_due.
extern const std::string_view kFamilyLua;
extern const std::string_view kSaveSnapshotLua;
extern const std::string_view kClearOutboxLua;
extern const std::string_view kPendingOutboxesLua;
extern const std::string_view kNoteMemberLua;
extern const std::string_view kTellAgainLua;

extern const std::string_view kTakeDueLua;
extern const std::string_view kEnterDueLua;
extern const std::string_view kSetDueLua;
extern const std::string_view kNoteNoticedLua;
extern const std::string_view kRemoveDueLua;

extern const std::string_view kLookAtOrdersLua;
extern const std::string_view kTakeSweepLua;
extern const std::string_view kSaveSweepLua;

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_
