#include "tests/bench/rpc_load.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tests/bench/child_process.h"
#include "tests/support/read_file.h"

namespace tollbridge::bench {
namespace {

using Steady = std::chrono::steady_clock;

/// What callers have: the deadline travels with each call.
constexpr std::chrono::seconds kDeadline{20};

std::string Text(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

/// A call at a time, again and again. Each event of the queue belongs to one.
class Slot {
 public:
  Slot(grpc::GenericStub& stub, grpc::CompletionQueue& queue) : stub_(stub), queue_(queue) {}

  /// Keeps what is answered, for CallOnce.
  void Keep(std::vector<std::string>* messages) { kept_ = messages; }

  void Start(const RpcTarget& target) {
    target_ = &target;
    // Both live in the memory of the call, which the context keeps.
    unary_.reset();
    stream_.reset();
    context_.emplace();
    context_->set_deadline(std::chrono::system_clock::now() + kDeadline);
    bytes_ = 0;
    const grpc::Slice slice(target.next_request());
    const grpc::ByteBuffer request(&slice, 1);
    begin_ = Steady::now();
    if (!target.streams) {
      state_ = State::kFinish;
      unary_ = stub_.PrepareUnaryCall(&*context_, target.path, request, &queue_);
      unary_->StartCall();
      unary_->Finish(&answer_, &status_, this);
      return;
    }
    state_ = State::kWrite;
    request_ = request;
    stream_ = stub_.PrepareCall(&*context_, target.path, &queue_);
    context_->set_initial_metadata_corked(true);
    stream_->StartCall(nullptr);
    stream_->WriteLast(request_, grpc::WriteOptions(), this);
  }

  /// Goes on. True at the end of the call.
  bool Advance(bool ok) {
    switch (state_) {
      case State::kWrite:
        state_ = State::kRead;
        stream_->Read(&answer_, this);
        return false;
      case State::kRead:
        if (ok) {
          Count();
          stream_->Read(&answer_, this);
          return false;
        }
        state_ = State::kFinish;
        stream_->Finish(&status_, this);
        return false;
      case State::kFinish:
        if (!target_->streams && status_.ok()) Count();
        Check();
        return true;
    }
    return true;
  }

  /// What is under way ends soon.
  void Cancel() {
    if (context_) context_->TryCancel();
  }

  double Microseconds() const {
    return std::chrono::duration<double, std::micro>(Steady::now() - begin_).count();
  }

 private:
  enum class State { kWrite, kRead, kFinish };

  void Count() {
    bytes_ += answer_.Length();
    if (kept_ != nullptr) kept_->push_back(Text(answer_));
  }

  void Check() const {
    if (!status_.ok()) {
      throw std::runtime_error(target_->path + ": status " + std::to_string(status_.error_code()) +
                               " " + status_.error_message());
    }
    if (bytes_ < target_->least_answer_bytes) {
      throw std::runtime_error(target_->path + ": an answer of " + std::to_string(bytes_) +
                               " bytes, which is not whole");
    }
  }

  grpc::GenericStub& stub_;
  grpc::CompletionQueue& queue_;
  const RpcTarget* target_ = nullptr;
  std::optional<grpc::ClientContext> context_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> unary_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
  grpc::Status status_;
  State state_ = State::kFinish;
  Steady::time_point begin_;
  std::size_t bytes_ = 0;
  std::vector<std::string>* kept_ = nullptr;
};

std::vector<double> ProcessorTimes(const std::vector<pid_t>& processes) {
  std::vector<double> times;
  for (const pid_t process : processes) times.push_back(ProcessorTime(process));
  return times;
}

}  // namespace

double RpcLoadResult::Percentile(double share) const {
  if (latencies.empty()) return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(latencies.size()));
  return latencies[std::min(at, latencies.size() - 1)];
}

class RpcClient::Impl {
 public:
  explicit Impl(const RpcAddress& address) {
    for (int i = 0; i < address.connections; ++i) {
      stubs_.push_back(std::make_unique<grpc::GenericStub>(grpc::CreateCustomChannel(
          address.host_and_port, Credentials(address.ca_file), Arguments())));
    }
  }
  ~Impl() {
    for (const auto& slot : slots_) slot->Cancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  std::vector<std::string> CallOnce(const RpcTarget& target) {
    std::vector<std::string> messages;
    Slot& slot = *Slots(1).front();
    slot.Keep(&messages);
    slot.Start(target);
    while (!Next().Advance(ok_)) {
    }
    slot.Keep(nullptr);
    return messages;
  }

  RpcLoadResult Run(const RpcLoad& load) {
    Drive(load, load.warm_up);
    const std::vector<double> before = ProcessorTimes(load.processes);
    RpcLoadResult result = Drive(load, load.duration);
    result.processor_time = ProcessorTimes(load.processes);
    for (std::size_t i = 0; i < before.size(); ++i) result.processor_time[i] -= before[i];
    std::ranges::sort(result.latencies);
    return result;
  }

 private:
  static grpc::ChannelArguments Arguments() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    return arguments;
  }

  static std::shared_ptr<grpc::ChannelCredentials> Credentials(const std::string& ca_file) {
    if (ca_file.empty()) return grpc::InsecureChannelCredentials();
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = test::ReadFile(ca_file);
    return grpc::SslCredentials(options);
  }

  /// The first `count`.
  std::vector<std::unique_ptr<Slot>>& Slots(std::size_t count) {
    while (slots_.size() < count) {
      grpc::GenericStub& stub = *stubs_[slots_.size() % stubs_.size()];
      slots_.push_back(std::make_unique<Slot>(stub, queue_));
    }
    slots_.resize(count);
    return slots_;
  }

  /// The slot that goes on; ok_ says how.
  Slot& Next() {
    void* tag = nullptr;
    const auto until = std::chrono::system_clock::now() + 2 * kDeadline;
    if (queue_.AsyncNext(&tag, &ok_, until) != grpc::CompletionQueue::GOT_EVENT) {
      throw std::runtime_error("a server has stopped answering");
    }
    return *static_cast<Slot*>(tag);
  }

  /// Begins calls for this long, and waits for the last.
  RpcLoadResult Drive(const RpcLoad& load, std::chrono::milliseconds duration) {
    RpcLoadResult result;
    const Steady::time_point begin = Steady::now();
    for (const auto& slot : Slots(static_cast<std::size_t>(load.in_flight))) {
      slot->Start(*load.target);
    }
    for (int under_way = load.in_flight; under_way > 0;) {
      Slot& slot = Next();
      if (!slot.Advance(ok_)) continue;
      ++result.calls;
      result.latencies.push_back(slot.Microseconds());
      if (Steady::now() - begin < duration) {
        slot.Start(*load.target);
      } else {
        --under_way;
      }
    }
    result.seconds = std::chrono::duration<double>(Steady::now() - begin).count();
    return result;
  }

  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<Slot>> slots_;
  bool ok_ = false;
};

RpcClient::RpcClient(const RpcAddress& address) : impl_(std::make_unique<Impl>(address)) {}
RpcClient::~RpcClient() = default;
std::vector<std::string> RpcClient::CallOnce(const RpcTarget& target) {
  return impl_->CallOnce(target);
}
RpcLoadResult RpcClient::Run(const RpcLoad& load) { return impl_->Run(load); }

}  // namespace tollbridge::bench
