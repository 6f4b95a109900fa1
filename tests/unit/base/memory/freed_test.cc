#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

// A sanitizer's allocator takes the place of the one that overwrites.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

namespace tollbridge {
namespace {

constexpr char kSecret = '4';
constexpr char kOverwritten = 0x5a;

/// Where something lay: not followed, as the compiler sees it, from what was freed.
class Place {
 public:
  Place(const void* memory, std::size_t size)
      : at_(reinterpret_cast<std::uintptr_t>(memory)), size_(size) {}

  /// Whether `byte` and nothing else lies there now. Allocates nothing: that could lie there.
  bool HoldsOnly(char byte) const {
    const auto* const memory = reinterpret_cast<const volatile char*>(at_);
    std::size_t others = 0;
    for (std::size_t i = 0; i < size_; ++i) others += memory[i] == byte ? 0 : 1;
    return others == 0;
  }

 private:
  std::uintptr_t at_;
  std::size_t size_;
};

/// Fills it with what nobody may find.
Place Fill(void* memory, std::size_t size) {
  std::memset(memory, kSecret, size);
  asm volatile("" : : "r"(memory) : "memory");
  return {memory, size};
}

struct alignas(64) Aligned {
  char bytes[192];
};

class FreedTest : public testing::TestWithParam<std::size_t> {};

TEST_P(FreedTest, WhatCFrees) {
  void* const memory = std::malloc(GetParam());
  const Place place = Fill(memory, GetParam());
  std::free(memory);
  EXPECT_TRUE(place.HoldsOnly(kOverwritten));
}

TEST_P(FreedTest, WhatCppDeletes) {
  void* const memory = ::operator new(GetParam());
  const Place place = Fill(memory, GetParam());
  ::operator delete(memory);
  EXPECT_TRUE(place.HoldsOnly(kOverwritten));
}

TEST_P(FreedTest, WhatCppDeletesAndKnowsTheSizeOf) {
  void* const memory = ::operator new(GetParam());
  const Place place = Fill(memory, GetParam());
  ::operator delete(memory, GetParam());
  EXPECT_TRUE(place.HoldsOnly(kOverwritten));
}

TEST_P(FreedTest, AnArray) {
  auto array = std::make_unique<char[]>(GetParam());
  const Place place = Fill(array.get(), GetParam());
  array.reset();
  EXPECT_TRUE(place.HoldsOnly(kOverwritten));
}

TEST_P(FreedTest, WhatHasMovedToHaveMoreRoom) {
  void* const memory = std::malloc(GetParam());
  const Place place = Fill(memory, GetParam());
  // Behind it lies something else, or it may grow where it is.
  void* const moved = std::realloc(memory, GetParam() * 64);
  ASSERT_NE(moved, nullptr);
  EXPECT_TRUE(Place(moved, GetParam()).HoldsOnly(kSecret));
  if (moved != memory) {
    EXPECT_TRUE(place.HoldsOnly(kOverwritten));
  }
  std::free(moved);
}

TEST_P(FreedTest, TheEndOfWhatHasBecomeSmaller) {
  for (const std::size_t part : {GetParam() - 1, GetParam() / 4}) {
    void* const memory = std::malloc(GetParam());
    const Place end(static_cast<char*>(memory) + part, GetParam() - part);
    Fill(memory, GetParam());
    void* const smaller = std::realloc(memory, part);
    ASSERT_NE(smaller, nullptr);
    EXPECT_TRUE(Place(smaller, part).HoldsOnly(kSecret));
    EXPECT_TRUE(end.HoldsOnly(kOverwritten));
    std::free(smaller);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FreedTest, testing::Values(8, 24, 100, 1'000, 4'096, 14'000));

TEST(FreedMemoryTest, AText) {
  auto text = std::make_unique<std::string>(200, kSecret);
  const Place place(text->data(), text->size());
  text.reset();
  EXPECT_TRUE(place.HoldsOnly(kOverwritten));
}

TEST(FreedMemoryTest, WhatIsAligned) {
  auto aligned = std::make_unique<Aligned>();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.get()) % alignof(Aligned), 0);
  const Place place = Fill(aligned.get(), sizeof(Aligned));
  aligned.reset();
  EXPECT_TRUE(place.HoldsOnly(kOverwritten));
}

TEST(FreedMemoryTest, WhatTheCLibraryGave) {
  char* const copy = strdup("4444444444444444444444");
  const Place place(copy, std::strlen(copy));
  std::free(copy);
  EXPECT_TRUE(place.HoldsOnly(kOverwritten));
}

TEST(FreedMemoryTest, NothingAndNoBytesAreFreedToo) {
  std::free(nullptr);
  ::operator delete(static_cast<void*>(nullptr));
  ::operator delete(static_cast<void*>(nullptr), std::size_t{8});
  void* const nothing = ::operator new(0);
  ASSERT_NE(nothing, nullptr);
  ::operator delete(nothing, std::size_t{0});
  void* const grown = std::realloc(nullptr, 100);
  ASSERT_NE(grown, nullptr);
  std::free(grown);
}

TEST(FreedMemoryTest, MoreThanThereIsIsRefused) {
  // Not constants, which the compiler would know to be too much.
  volatile std::size_t much = std::numeric_limits<std::size_t>::max() / 4;
  EXPECT_THROW(::operator delete(::operator new(much)), std::bad_alloc);
  EXPECT_THROW(::operator delete(::operator new(much, std::align_val_t(64)), std::align_val_t(64)),
               std::bad_alloc);
  EXPECT_EQ(::operator new(much, std::nothrow), nullptr);
  void* const kept = std::malloc(8);
  const Place place = Fill(kept, 8);
  EXPECT_EQ(std::realloc(kept, much), nullptr);
  EXPECT_TRUE(place.HoldsOnly(kSecret));
  std::free(kept);
}

/// Lives beside others of its kind until all go on, and has never asked for memory itself.
struct Waiting {
  std::atomic<int> there = 0;
  std::atomic<int> gone = 0;
  std::atomic<bool> go = false;

  static void* Run(void* waiting) {
    auto& self = *static_cast<Waiting*>(waiting);
    ++self.there;
    self.there.notify_all();
    self.go.wait(false);
    ++self.gone;
    self.gone.notify_all();
    return nullptr;
  }
};

void Await(const std::atomic<int>& count, int wanted) {
  for (int now = count; now < wanted; now = count) count.wait(now);
}

// The C library keeps stacks of 40 MB in all for the next threads. The one that ends beyond that
// frees what belongs to them, behind its own destructors.
TEST(FreedMemoryTest, AThreadsFirstCallMayBeTheLastThingThatItDoes) {
  constexpr int kThreads = 20;
  constexpr std::size_t kStack = std::size_t{16} << 20;
  pthread_attr_t large;
  ASSERT_EQ(pthread_attr_init(&large), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&large, kStack), 0);
  ASSERT_EQ(pthread_attr_setdetachstate(&large, PTHREAD_CREATE_DETACHED), 0);
  for (int round = 0; round < 40; ++round) {
    // Whoever was told last may still look at it when it is over.
    static std::deque<Waiting> rounds;
    Waiting& waiting = rounds.emplace_back();
    for (int i = 0; i < kThreads; ++i) {
      pthread_t thread{};
      ASSERT_EQ(pthread_create(&thread, &large, &Waiting::Run, &waiting), 0);
    }
    Await(waiting.there, kThreads);
    waiting.go = true;
    waiting.go.notify_all();
    Await(waiting.gone, kThreads);
    // jemalloc goes through all threads that it knows when one comes.
    std::vector<std::thread> others;
    for (int i = 0; i < 4; ++i) others.emplace_back([] { std::free(std::malloc(100)); });
    for (std::thread& other : others) other.join();
  }
  pthread_attr_destroy(&large);
}

}  // namespace
}  // namespace tollbridge

#endif
