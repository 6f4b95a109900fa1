#include "gateway/config/secret_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

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

TEST_F(SecretFileTest, RotationIsSeenAtTheNextLook) {
  Write("old\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  Write("new\nold\n");
  now_ += milliseconds(999);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("old")) << "it is read once a second at most";
  now_ += milliseconds(1);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("new", "old"));
}

TEST_F(SecretFileTest, RotationByRenameIsSeen) {
  Write("old\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  std::ofstream(folder_ / "next") << "new\n";
  std::filesystem::rename(folder_ / "next", path_);
  now_ += seconds(1);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("new"));
}

TEST_F(SecretFileTest, ContentInUseSurvivesARotation) {
  Write("old\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  const SecretFile::Lines in_use = (*file)->Get();
  Write("new\n");
  now_ += seconds(1);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("new"));
  EXPECT_THAT(*in_use, ElementsAre("old"));
}

TEST_F(SecretFileTest, BadContentLeavesTheLastGoodOneInForce) {
  Write("good\n");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  for (const std::string bad : {"", "\n\n", "  \t\r\n"}) {
    Write(bad);
    now_ += seconds(1);
    EXPECT_THAT(*(*file)->Get(), ElementsAre("good"));
  }
  std::filesystem::remove(path_);
  now_ += seconds(1);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("good"));
  Write("better\n");
  now_ += seconds(1);
  EXPECT_THAT(*(*file)->Get(), ElementsAre("better")) << "it goes on looking";
}

TEST_F(SecretFileTest, CountsLooksThatFoundNothingToUse) {
  Write("good");
  const auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  const std::uint64_t before = SecretFileFailures();
  Write("");
  now_ += seconds(2);
  (*file)->Get();
  EXPECT_EQ(SecretFileFailures(), before + 1);
  Write("better");
  now_ += seconds(2);
  (*file)->Get();
  EXPECT_EQ(SecretFileFailures(), before + 1);
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
