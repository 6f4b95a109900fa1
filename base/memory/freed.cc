// Whatever is freed is overwritten first, by C and by C++ alike (ADR 18): what is linked with it
// calls these in place of the allocator's own. Not under a sanitizer, which brings an allocator.
#ifdef TOLLBRIDGE_JEMALLOC

#include <jemalloc/jemalloc.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

// jemalloc's own free, by the name that cmake/dependencies.cmake gives it. Its setting junk:free
// would overwrite too, but with it each malloc and each free goes the long way.
extern "C" void tollbridge_jemalloc_free(void* memory);

// How jemalloc sets up a thread that it does not know, or not enough of (the linker's --wrap). With
// `minimal` that leaves nothing which a thread would have to take down.
extern "C" struct tsd_s* __real_je_tsd_fetch_slow(struct tsd_s* thread, bool minimal);

namespace {

/// This thread asks for the size of what it frees.
constinit thread_local bool frees = false;

constexpr int kFreed = 0x5a;

inline void Overwrite(void* memory, std::size_t size) {
  std::memset(memory, kFreed, size);
  // Nobody reads it any more, which must not be a reason to leave it out.
  asm volatile("" : : "r"(memory) : "memory");
}

/// As jemalloc has it, a size of 0 is a small one.
void* ReallocElsewhere(void* memory, std::size_t had, std::size_t size) {
  void* const moved = std::malloc(size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, memory, had < size ? had : size);
  std::free(memory);
  return moved;
}

/// As new promises: whoever says how to get more memory is asked, and a failure is thrown.
template <typename Allocate>
void* OrThrow(const Allocate& allocate) {
  for (;;) {
    void* const memory = allocate();
    if (memory != nullptr) [[likely]] {
      return memory;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

extern "C" {

// A thread's first call here may be a free behind all of its destructors, as where the C library
// trims what it keeps of other threads' stacks: jemalloc's own free asks for the least, and the
// question for a size must not ask for more.
struct tsd_s* __wrap_je_tsd_fetch_slow(struct tsd_s* thread, bool minimal) {
  return __real_je_tsd_fetch_slow(thread, minimal || frees);
}

void free(void* memory) noexcept {
  if (memory == nullptr) return;
  frees = true;
  const std::size_t size = malloc_usable_size(memory);
  frees = false;
  Overwrite(memory, size);
  tollbridge_jemalloc_free(memory);
}

void* realloc(void* memory, std::size_t size) noexcept {
  if (memory == nullptr) return std::malloc(size);
  const std::size_t had = malloc_usable_size(memory);
  if (size > had) {
    const bool grown = xallocx(memory, size, 0, 0) >= size;
    return grown ? memory : ReallocElsewhere(memory, had, size);
  }
  if (size < had / 2) return ReallocElsewhere(memory, had, size);
  Overwrite(static_cast<char*>(memory) + size, had - size);
  return memory;
}
}

void* operator new(std::size_t size) {
  return OrThrow([=] { return std::malloc(size); });
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  return OrThrow([=] { return std::aligned_alloc(static_cast<std::size_t>(alignment), size); });
}

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t size) noexcept {
  if (memory == nullptr) return;
  Overwrite(memory, size);
  sdallocx(memory, size, 0);
}

void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
