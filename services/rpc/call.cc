#include "services/rpc/call.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "services/domain/deterministic.h"
#include "services/domain/errors.h"
#include "services/domain/project.h"
#include "services/rpc/parse.h"

namespace tollbridge::rpc {
namespace {

namespace pb = google::protobuf;

std::unique_ptr<pb::Message> NewMessage(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

absl::Status Unparsable(std::string_view bytes, const pb::Descriptor& type) {
  const BadField bad = FindBadField(bytes, type);
  domain::ErrorDetail detail{.reason = domain::reason::kUnparsableRequest,
                             .retry = domain::Retry::kAfterChange,
                             .metadata = {},
                             .retry_after = std::nullopt,
                             .violations = {}};
  std::string message = "the request is not a " + type.full_name();
  if (!bad.path.empty()) {
    detail.violations.push_back({bad.path, bad.rule});
    message += ": " + bad.path + ": " + bad.rule;
  }
  return domain::MakeError(absl::StatusCode::kInvalidArgument, message, detail);
}

}  // namespace

Call::Call(const MethodInfo& method, CallHead head, std::string bytes, WireCall& wire)
    : method_(method),
      head_(std::move(head)),
      bytes_(std::move(bytes)),
      parsed_(false),
      wire_(&wire),
      request_(NewMessage(method.descriptor->input_type())) {}

Call::Call(const MethodInfo& method, CallHead head, const pb::Message& request)
    : method_(method),
      head_(std::move(head)),
      parsed_(true),
      wire_(nullptr),
      request_(request.New()) {
  request_->CopyFrom(request);
}

Call::~Call() = default;

std::string_view Call::project_name() const {
  return project_ == nullptr ? std::string_view() : project_->name;
}

absl::Status Call::Parse() {
  if (parsed_) return absl::OkStatus();
  parsed_ = true;
  absl::Status status;
  if (!request_->ParseFromString(bytes_)) {
    status = Unparsable(bytes_, *method_.descriptor->input_type());
    // A parser keeps what it had read before it failed; nobody may take that for a request.
    request_->Clear();
  }
  bytes_ = std::string();
  return status;
}

void Call::Answer(const pb::Message& message) {
  answer_ = domain::SerializeDeterministically(message);
}

AsyncStatus Call::Write(const pb::Message& message) {
  return WriteBytes(message.SerializeAsString());
}

AsyncStatus Call::WriteBytes(std::string bytes) {
  if (wire_ == nullptr) co_return absl::CancelledError("the call has no caller");
  co_return co_await wire_->Write(std::move(bytes), initial_metadata_);
}

bool Call::cancelled() const { return wire_ != nullptr && wire_->cancelled(); }

void Call::AddInitialMetadata(std::string name, std::string value) {
  initial_metadata_.emplace_back(std::move(name), std::move(value));
}

}  // namespace tollbridge::rpc
