#include "gateway/config/key_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/core/encoding.h"
#include "base/telemetry/log.h"
#include "gateway/config/secret_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::gateway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string SecretOf(char c) { return Base64Encode(std::string(32, c)); }
std::string Line(const std::string& id, char secret) { return id + " " + SecretOf(secret) + "\n"; }

class KeyFilesTest : public testing::Test {
 protected:
  KeyFilesTest() {
    WriteFingerprints(Line("f1", 'a'));
    WriteOutcomes(Line("o1", 'b'));
  }

  void WriteFingerprints(const std::string& content) const { folder_.Write("f", content); }
  void WriteOutcomes(const std::string& content) const { folder_.Write("o", content); }

  absl::StatusOr<std::shared_ptr<KeyFiles>> Open() {
    return KeyFiles::Open({.fingerprints = folder_.PathOf("f"), .outcomes = folder_.PathOf("o")},
                          [this] { return now_; });
  }
  /// The keys after two looks at files that nobody touches: ids, `f2 f1 / o1`.
  std::string AtTheNextLook(KeyFiles& files) {
    now_ += seconds(1);
    files.Get();
    return AfterALook(files);
  }
  std::string AfterALook(KeyFiles& files) {
    now_ += seconds(1);
    const KeyFiles::Keys keys = files.Get();
    std::string ids;
    for (const operations::Key& key : keys->fingerprints.keys) ids += key.id + " ";
    ids += "/";
    for (const operations::Key& key : keys->outcomes.keys) ids += " " + key.id;
    return ids;
  }
  std::vector<std::string> LinesOf(const std::string& event) const {
    std::vector<std::string> found;
    for (const std::string& line : log_.lines()) {
      if (line.find('"' + event + '"') != std::string::npos) found.push_back(line);
    }
    return found;
  }

  test::TempFolder folder_;
  telemetry::LogCapture log_;
  BootTime now_{std::chrono::hours(1)};
};

TEST_F(KeyFilesTest, ARotationIsSeenAtTheNextLookAndToldByItsIds) {
  const auto files = Open();
  ASSERT_TRUE(files.ok()) << files.status();
  WriteFingerprints(Line("f2", 'c') + Line("f1", 'a'));
  now_ += milliseconds(999);
  EXPECT_THAT((*files)->Get()->fingerprints.keys, SizeIs(1)) << "it looks once a second at most";
  EXPECT_EQ(AtTheNextLook(**files), "f2 f1 / o1");
  EXPECT_THAT(
      LinesOf("operation_keys_changed"),
      ElementsAre(AllOf(HasSubstr(R"("fingerprint_keys":"f2,f1")"),
                        HasSubstr(R"("outcome_keys":"o1")"), Not(HasSubstr(SecretOf('c'))))));
  EXPECT_EQ(AtTheNextLook(**files), "f2 f1 / o1");
  EXPECT_THAT(LinesOf("operation_keys_changed"), SizeIs(1)) << "nothing has changed since";
  WriteFingerprints(Line("f2", 'c'));
  WriteOutcomes(Line("o2", 'd') + Line("o1", 'b'));
  EXPECT_EQ(AtTheNextLook(**files), "f2 / o2 o1");
}

TEST_F(KeyFilesTest, AFileThatIsBeingWrittenIsNotTaken) {
  WriteOutcomes(Line("o2", 'd') + Line("o1", 'b'));
  const auto files = Open();
  ASSERT_TRUE(files.ok()) << files.status();
  // Each look comes between two writes, the second when one key is there in whole.
  for (const std::string& half : {std::string(), Line("o2", 'd'), Line("o2", 'd') + "o1"}) {
    WriteOutcomes(half);
    EXPECT_EQ(AfterALook(**files), "f1 / o2 o1") << half;
  }
  WriteOutcomes(Line("o2", 'd') + Line("o1", 'b'));
  EXPECT_EQ(AtTheNextLook(**files), "f1 / o2 o1");
  EXPECT_THAT(LinesOf("operation_keys_refused"), IsEmpty());
  EXPECT_THAT(LinesOf("operation_keys_changed"), IsEmpty());
}

TEST_F(KeyFilesTest, KeysInUseSurviveARotation) {
  const auto files = Open();
  ASSERT_TRUE(files.ok()) << files.status();
  const KeyFiles::Keys in_use = (*files)->Get();
  WriteFingerprints(Line("f2", 'c'));
  EXPECT_EQ(AtTheNextLook(**files), "f2 / o1");
  EXPECT_EQ(in_use->fingerprints.current().id, "f1");
}

TEST_F(KeyFilesTest, AMalformedFileLeavesItsGoodKeysInForceAndIsToldOnceWithoutItsContent) {
  const auto files = Open();
  ASSERT_TRUE(files.ok()) << files.status();
  const std::string half = SecretOf('c').substr(0, 20);
  for (const std::string& bad :
       {std::string(), std::string("\n"), "f2 " + half, Line("f1", 'a') + "f2 " + half,
        Line("f1", 'a') + half, Line("f1", 'a') + Line("f1", 'a')}) {
    WriteFingerprints(bad);
    EXPECT_EQ(AtTheNextLook(**files), "f1 / o1") << bad;
    EXPECT_EQ(AtTheNextLook(**files), "f1 / o1") << bad;
  }
  const std::vector<std::string> told = LinesOf("operation_keys_refused");
  // Of no key, of line 1, of line 2 in three ways; the same reason again is not told.
  EXPECT_THAT(told, SizeIs(5));
  for (const std::string& line : told) {
    EXPECT_THAT(line, AllOf(HasSubstr("operations.fingerprint_keys_file"),
                            HasSubstr(folder_.PathOf("f")), Not(HasSubstr(half))));
  }
  // The other file rotates all the same, and a good one is taken again.
  WriteOutcomes(Line("o2", 'd'));
  EXPECT_EQ(AtTheNextLook(**files), "f1 / o2");
  WriteFingerprints(Line("f2", 'c'));
  EXPECT_EQ(AtTheNextLook(**files), "f2 / o2");
}

TEST_F(KeyFilesTest, AFileThatIsGoneOrNoneLeavesItsGoodKeysInForce) {
  const auto files = Open();
  ASSERT_TRUE(files.ok()) << files.status();
  std::filesystem::remove(folder_.PathOf("o"));
  EXPECT_EQ(AtTheNextLook(**files), "f1 / o1");
  // To open it would wait for somebody who writes.
  ASSERT_EQ(::mkfifo(folder_.PathOf("o").c_str(), 0600), 0);
  EXPECT_EQ(AtTheNextLook(**files), "f1 / o1");
  EXPECT_THAT(LinesOf("operation_keys_refused"),
              ElementsAre(HasSubstr("cannot be read"), HasSubstr("is no file")));
  std::filesystem::remove(folder_.PathOf("o"));
  WriteOutcomes(Line("o2", 'd'));
  EXPECT_EQ(AtTheNextLook(**files), "f1 / o2");
}

TEST_F(KeyFilesTest, AnotherSecretUnderAnIdInForceIsRefused) {
  const auto files = Open();
  ASSERT_TRUE(files.ok()) << files.status();
  const std::uint64_t before = SecretFileFailures(SecretKind::kOperationKeys);
  WriteFingerprints(Line("f2", 'c') + Line("f1", 'x'));
  EXPECT_EQ(AtTheNextLook(**files), "f1 / o1");
  EXPECT_EQ(SecretFileFailures(SecretKind::kOperationKeys), before + 1);
  EXPECT_EQ(AfterALook(**files), "f1 / o1");
  EXPECT_EQ(SecretFileFailures(SecretKind::kOperationKeys), before + 2) << "while it lasts";
  EXPECT_EQ((*files)->Get()->fingerprints.current().secret, std::string(32, 'a'));
  EXPECT_THAT(LinesOf("operation_keys_refused"),
              ElementsAre(HasSubstr("another key under the id f1")));
}

TEST_F(KeyFilesTest, OneKeyInBothFilesIsRefusedAtStartAndLater) {
  const auto files = Open();
  ASSERT_TRUE(files.ok()) << files.status();
  WriteOutcomes(Line("o2", 'a') + Line("o1", 'b'));
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AtTheNextLook(**files), "f1 / o1");
  EXPECT_THAT(LinesOf("operation_keys_refused"), ElementsAre(HasSubstr("is in fingerprint_keys")));
  WriteFingerprints(Line("f2", 'c'));
  EXPECT_EQ(AtTheNextLook(**files), "f2 / o2 o1") << "they are apart now";
}

TEST_F(KeyFilesTest, OpensOnlyWhatIsGoodAndNamesTheSetting) {
  WriteOutcomes("o1\n");
  const auto malformed = Open();
  EXPECT_EQ(malformed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(malformed.status().message()),
              AllOf(HasSubstr("operations.outcome_keys_file: " + folder_.PathOf("o")),
                    HasSubstr("line 1")));
  std::filesystem::remove(folder_.PathOf("f"));
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(log_.lines(), IsEmpty());
}

}  // namespace
}  // namespace tollbridge::gateway
