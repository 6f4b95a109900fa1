#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_

#include <string_view>

namespace tollbridge::redis {

/// A piece of Lua, and what it is called: its file in scripts/ without the ending.
struct LuaText {
  constexpr LuaText(std::string_view name_in, std::string_view text_in)
      : name(name_in), text(text_in) {}
  /// Without a file. For tests.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr LuaText(const char* text_in) : LuaText("", text_in) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator std::string_view() const { return text; }

  std::string_view name;
  std::string_view text;
};

// The text of scripts/*.lua, put into the program by the build (embed_scripts.cmake).

/// Goes before each script on operations.
extern const LuaText kRecordLua;
/// Goes after kRecordLua before those that show records: read_operation, list_operations,
/// close_operation, confirm_operation, take_unresolved.
extern const LuaText kShowLua;
/// Goes after kRecordLua before those that ask for a second person, compare or end that: claim,
/// take_unresolved, close_operation, confirm_operation.
extern const LuaText kApprovalLua;
/// Goes after kRecordLua before those that record effects: finish, close_operation, judge_mark.
extern const LuaText kEffectsLua;

extern const LuaText kLearnEpochLua;
extern const LuaText kInitEpochLua;
extern const LuaText kJoinStoreLua;
extern const LuaText kLeaveStoreLua;

extern const LuaText kClaimLua;
extern const LuaText kReleaseLua;
extern const LuaText kBeginStepLua;
extern const LuaText kFinishLua;

extern const LuaText kTakeUnresolvedLua;
extern const LuaText kRescheduleLua;
extern const LuaText kPullDueLua;
extern const LuaText kSurveyLua;

extern const LuaText kReadOperationLua;
extern const LuaText kListOperationsLua;
extern const LuaText kCloseOperationLua;
extern const LuaText kConfirmOperationLua;
extern const LuaText kJudgeMarkLua;

extern const LuaText kReadKeyIdsLua;

extern const LuaText kTakeTransitionsLua;
extern const LuaText kDropTransitionsLua;
extern const LuaText kRetireLua;

extern const LuaText kNoteRefusedLua;
extern const LuaText kTakeRefusedLua;
extern const LuaText kDropRefusedLua;

/// Goes before those that read or compare the epoch of families: load_family, load_families,
/// save_snapshot, clear_outbox.
extern const LuaText kFamilyEpochLua;
/// Goes before those that read or change families: look_at_orders, kFamilyStateLua and kFamilyLua.
extern const LuaText kSettledLua;
/// Goes behind it before those that read families whole: load_family, load_families.
extern const LuaText kFamilyStateLua;
extern const LuaText kLoadFamilyLua;
extern const LuaText kLoadFamiliesLua;
extern const LuaText kBeginWalkLua;
/// Goes behind it before those that change a family: save_snapshot, note_member, tell_again,
/// enter_due, set_due, note_noticed, remove_due.
extern const LuaText kFamilyLua;
extern const LuaText kSaveSnapshotLua;
extern const LuaText kClearOutboxLua;
extern const LuaText kPendingOutboxesLua;
extern const LuaText kNoteMemberLua;
extern const LuaText kTellAgainLua;

extern const LuaText kTakeDueLua;
extern const LuaText kEnterDueLua;
extern const LuaText kSetDueLua;
extern const LuaText kNoteNoticedLua;
extern const LuaText kRemoveDueLua;

extern const LuaText kLookAtOrdersLua;
extern const LuaText kTakeSweepLua;
extern const LuaText kSaveSweepLua;

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SCRIPTS_H_
