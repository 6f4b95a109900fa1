#include "tests/interop/duplex_call.h"

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

#include <vector>

namespace tollbridge::interop {

DuplexCall::~DuplexCall() {
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

bool DuplexCall::Wait() {
  void* tag = nullptr;
  bool ok = false;
  const auto limit = std::chrono::system_clock::now() + std::chrono::seconds(20);
  EXPECT_EQ(queue_.AsyncNext(&tag, &ok, limit), grpc::CompletionQueue::GOT_EVENT);
  return ok;
}

void DuplexCall::Start(const std::string& path) {
  call_ = stub_.PrepareCall(&context_, path, &queue_);
  call_->StartCall(this);
  Wait();
}

bool DuplexCall::Write(const google::protobuf::Message& message) {
  const grpc::Slice slice(message.SerializeAsString());
  call_->Write(grpc::ByteBuffer(&slice, 1), this);
  return Wait();
}

bool DuplexCall::WritesDone() {
  call_->WritesDone(this);
  return Wait();
}

bool DuplexCall::Read(google::protobuf::Message* message) {
  grpc::ByteBuffer buffer;
  call_->Read(&buffer, this);
  if (!Wait()) return false;
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  EXPECT_TRUE(message->ParseFromString(bytes));
  return true;
}

grpc::Status DuplexCall::Finish() {
  grpc::Status status;
  call_->Finish(&status, this);
  Wait();
  return status;
}

}  // namespace tollbridge::interop
