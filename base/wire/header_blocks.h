#ifndef TOLLBRIDGE_BASE_WIRE_HEADER_BLOCKS_H_
#define TOLLBRIDGE_BASE_WIRE_HEADER_BLOCKS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tollbridge::wire {

/// Follows what a client sends of HTTP/2 from its first byte, for the blocks of headers in it: the
/// decoder keeps what has come of a header until it is whole, and nobody is told of it meanwhile.
/// Internal to base/wire.
class HeaderBlocks {
 public:
  /// No block may be longer than `most`.
  explicit HeaderBlocks(std::size_t most) : most_(most) {}

  /// What came next. False when a block is too long.
  bool Take(std::string_view bytes);
  /// What has come of a block that is not whole; 0 when there is none.
  std::size_t bytes() const { return bytes_; }
  /// How many have begun.
  std::uint64_t begun() const { return begun_; }

 private:
  static constexpr std::size_t kHeaderBytes = 9;
  static constexpr std::size_t kPrefaceBytes = 24;

  void BeginFrame();
  void EndFrame();

  const std::size_t most_;
  std::size_t preface_left_ = kPrefaceBytes;
  std::array<unsigned char, kHeaderBytes> header_{};
  /// Bytes of the frame's header that came, and of its payload that have not.
  std::size_t have_ = 0;
  std::size_t frame_left_ = 0;
  bool of_block_ = false;
  bool ends_block_ = false;
  std::size_t bytes_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_HEADER_BLOCKS_H_
