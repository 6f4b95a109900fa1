#include "base/telemetry/line_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

namespace tollbridge::telemetry {
namespace {

/// Both ends of a pipe.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Pipe() {
    CloseWriting();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writing() const { return ends_[1]; }
  void CloseWriting() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  /// Blocks until there is something; "" at the end.
  std::string ReadSome() const {
    std::array<char, 65536> buffer;
    const ssize_t size = read(ends_[0], buffer.data(), buffer.size());
    return size <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(size));
  }
  std::string ReadToTheEnd() const {
    std::string all;
    for (std::string piece = ReadSome(); !piece.empty(); piece = ReadSome()) all += piece;
    return all;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST(LineWriterTest, ALineComesWithoutMoreLinesAndWithoutAnEnd) {
  const Pipe pipe;
  LineWriter writer(pipe.writing(), 100);
  writer.Write("alone");
  EXPECT_EQ(pipe.ReadSome(), "alone\n");
  writer.Write("");
  EXPECT_EQ(pipe.ReadSome(), "\n");
}

TEST(LineWriterTest, TheEndWritesWhatIsWaitingInOrder) {
  Pipe pipe;
  std::string written;
  {
    LineWriter writer(pipe.writing(), 10'000);
    for (int i = 0; i < 1'000; ++i) {
      writer.Write(std::to_string(i));
      written += std::to_string(i) + "\n";
    }
    EXPECT_EQ(writer.dropped(), 0u);
  }
  pipe.CloseWriting();
  EXPECT_EQ(pipe.ReadToTheEnd(), written);
}

TEST(LineWriterTest, WithNobodyReadingTheOldestGoAndAreCounted) {
  constexpr std::size_t kLines = 20'000;
  const std::string filler(100, '.');
  Pipe pipe;
  std::optional<LineWriter> writer(std::in_place, pipe.writing(), 1'000);
  for (std::size_t i = 1; i <= kLines; ++i) writer->Write(filler + std::to_string(i));
  const std::uint64_t dropped = writer->dropped();
  EXPECT_GT(dropped, 0u);
  std::string all;
  std::thread reader([&] { all = pipe.ReadToTheEnd(); });
  writer.reset();
  pipe.CloseWriting();
  reader.join();
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(all.begin(), all.end(), '\n')) + dropped, kLines);
  EXPECT_TRUE(all.ends_with(filler + std::to_string(kLines) + "\n"));
}

TEST(LineWriterTest, WhatAFullDiskDoesNotTakeIsCounted) {
  // Open until the test ends.
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  LineWriter writer(full, 100);
  for (const char* line : {"one", "two", "three"}) writer.Write(line);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(90);
  while (writer.dropped() < 3 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::yield();
  }
  EXPECT_EQ(writer.dropped(), 3u);
}

}  // namespace
}  // namespace tollbridge::telemetry
