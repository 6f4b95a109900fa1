#include "gateway/config/secret_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/telemetry/log.h"

namespace tollbridge::gateway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SecretFileTest : public testing::Test {
 protected:
  SecretFileTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("secret_file_test_" + std::to_string(getpid()) + "_" + info->name());
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "secret";
  }
  ~SecretFileTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& content) { std::ofstream(path_, std::ios::trunc) << content; }

  absl::StatusOr<std::shared_ptr<SecretFile>> Open() {
    return SecretFile::Open(path_, [this] { return now_; });
  }
  /// What is in force when the file has been left alone for two looks.
  SecretFile::Lines Later(SecretFile& file) {
    now_ += seconds(1);
    file.Get();
    now_ += seconds(1);
    return file.Get();
  }

  BootTime now_{std::chrono::hours(1)};
  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(SecretFileTest, WhatCannotBeReadIsToldWithItsCause) {
  EXPECT_EQ(ReadFile(path_).status().message(),
            path_ + ": cannot be read: No such file or directory");
  EXPECT_EQ(ReadFile(folder_).status().message(),
            folder_.string() + ": cannot be read: Is a directory");
}

TEST_F(SecretFileTest, GivesTheLinesWithoutWhatSurroundsThem) {
  Write("\n  first \t\r\n\n   \nsecond with a space\r\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(*(*file)->Get(), ElementsAre("first", "second with a space"));
}

TEST_F(SecretFileTest, RotationIsSeenWhenTwoLooksFindTheSame) {
  Write("old\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  Write("new\nold\n");
  now_ += milliseconds(1000);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("old"));
  now_ += milliseconds(999);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("old")) << "it is looked at once a second at most";
  now_ += milliseconds(1);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("new", "old"));
}

TEST_F(SecretFileTest, AFileThatIsBeingWrittenIsNotTaken) {
  Write("old\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(*Later(**file), ElementsAre("old"));
  const std::uint64_t failures = SecretFileFailures(SecretKind::kSecret);
  const std::string secret = "new-0123456789abcdef\n";
  // Each look comes between two writes.
  for (std::size_t written = 0; written < secret.size(); written += 4) {
    Write(secret.substr(0, written));
    now_ += seconds(1);
    EXPECT_THAT(*(*file)->Get(), ElementsAre("old")) << written;
  }
  Write(secret);
  EXPECT_THAT(*Later(**file), ElementsAre("new-0123456789abcdef"));
  EXPECT_EQ(SecretFileFailures(SecretKind::kSecret), failures)
      << "an empty file was only a moment's";
}

TEST_F(SecretFileTest, OneThatWasHalfThereAtStartIsReadAgain) {
  Write("hal");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  Write("half no more");
  EXPECT_THAT(*Later(**file), ElementsAre("half no more"));
}

TEST_F(SecretFileTest, OneThatIsNoFileIsNotOpened) {
  Write("old\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  std::filesystem::remove(path_);
  // To open it would wait for somebody who writes.
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(*Later(**file), ElementsAre("old"));
}

TEST_F(SecretFileTest, RotationByRenameIsSeen) {
  Write("old\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  std::ofstream(folder_ / "next") << "new\n";
  std::filesystem::rename(folder_ / "next", path_);
  EXPECT_THAT(*Later(**file), ElementsAre("new"));
}

TEST_F(SecretFileTest, ContentInUseSurvivesARotation) {
  Write("old\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  const SecretFile::Lines in_use = (*file)->Get();
  Write("new\n");
  EXPECT_THAT(*Later(**file), ElementsAre("new"));
  EXPECT_THAT(*in_use, ElementsAre("old"));
}

TEST_F(SecretFileTest, BadContentLeavesTheLastGoodOneInForce) {
  Write("good\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  for (const std::string bad : {"", "\n\n", "  \t\r\n"}) {
    Write(bad);
    EXPECT_THAT(*Later(**file), ElementsAre("good"));
  }
  std::filesystem::remove(path_);
  EXPECT_THAT(*Later(**file), ElementsAre("good"));
  Write("better\n");
  EXPECT_THAT(*Later(**file), ElementsAre("better")) << "it goes on looking";
}

TEST_F(SecretFileTest, OneThatStaysUnreadableIsALineAMinute) {
  Write("good\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  std::filesystem::remove(path_);
  const telemetry::LogCapture log;
  const std::uint64_t failures = SecretFileFailures(SecretKind::kSecret);
  for (int second = 0; second < 121; ++second) Later(**file);
  EXPECT_GT(SecretFileFailures(SecretKind::kSecret) - failures, 200U) << "each look is counted";
  EXPECT_THAT(log.lines(), testing::SizeIs(testing::AllOf(testing::Ge(4U), testing::Le(5U))));
}

TEST_F(SecretFileTest, CountsLooksThatFoundNothingToUse) {
  Write("good");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  const std::uint64_t before = SecretFileFailures(SecretKind::kSecret);
  Write("");
  Later(**file);
  EXPECT_EQ(SecretFileFailures(SecretKind::kSecret), before + 1);
  Write("better");
  Later(**file);
  EXPECT_EQ(SecretFileFailures(SecretKind::kSecret), before + 1);
}

TEST_F(SecretFileTest, OpensOnlyWhatHasALine) {
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kNotFound) << "there is no file";
  for (const std::string empty : {"", "\n", " \r\n\t"}) {
    Write(empty);
    const absl::Status status = Open().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  }
}

TEST_F(SecretFileTest, FolderIsNoFile) {
  std::filesystem::create_directory(path_);
  EXPECT_EQ(Open().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadFile(path_).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SecretFileTest, ReadsAFileWhole) {
  const std::string content("with\0a zero\r\nand no end", 23);
  Write(content);
  const absl::StatusOr<std::string> read = ReadFile(path_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, content);
  Write("");
  const absl::StatusOr<std::string> empty = ReadFile(path_);
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_THAT(*empty, IsEmpty());
}

}  // namespace
}  // namespace tollbridge::gateway
