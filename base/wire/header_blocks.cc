#include "base/wire/header_blocks.h"

#include <algorithm>

namespace tollbridge::wire {
namespace {

// RFC 9113, 6.
constexpr unsigned char kHeaders = 1;
constexpr unsigned char kContinuation = 9;
constexpr unsigned char kEndHeaders = 0x4;

}  // namespace

bool HeaderBlocks::Take(std::string_view bytes) {
  const std::size_t preface = std::min(preface_left_, bytes.size());
  preface_left_ -= preface;
  bytes.remove_prefix(preface);
  bool fits = true;
  while (!bytes.empty()) {
    if (frame_left_ == 0) {
      header_[have_++] = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      if (have_ == kHeaderBytes) BeginFrame();
      continue;
    }
    const std::size_t taken = std::min(frame_left_, bytes.size());
    bytes.remove_prefix(taken);
    frame_left_ -= taken;
    if (of_block_) bytes_ += taken;
    fits &= bytes_ <= most_;
    if (frame_left_ == 0) EndFrame();
  }
  return fits;
}

void HeaderBlocks::BeginFrame() {
  have_ = 0;
  frame_left_ = (std::size_t{header_[0]} << 16U) | (std::size_t{header_[1]} << 8U) | header_[2];
  of_block_ = header_[3] == kHeaders || header_[3] == kContinuation;
  ends_block_ = of_block_ && (header_[4] & kEndHeaders) != 0;
  // Nothing else may come within a block: what follows one that was cut off is refused anyway.
  if (header_[3] != kContinuation) bytes_ = 0;
  if (header_[3] == kHeaders) ++begun_;
  if (frame_left_ == 0) EndFrame();
}

void HeaderBlocks::EndFrame() {
  if (ends_block_) bytes_ = 0;
}

}  // namespace tollbridge::wire
