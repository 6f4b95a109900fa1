#include "tests/e2e/tenant.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <utility>

#include "base/core/uuid.h"
#include "tests/e2e/published_methods.h"
#include "tests/support/process.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::test {
namespace {

namespace pb = google::protobuf;

constexpr std::size_t kIdSize = 36;

/// The id that begins at this place, in lower case.
std::optional<std::string> IdAt(std::string_view bytes, std::size_t at) {
  std::string text(bytes.substr(at, kIdSize));
  if (text.size() < kIdSize || !Uuid::Parse(text)) return std::nullopt;
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string WithoutIds(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool id = IdAt(text, at).has_value();
    out += id ? "<id>" : std::string(1, text[at]);
    at += id ? kIdSize : 1;
  }
  return out;
}

/// Reads a stream to its end; one that goes on until an order is final, to its first message.
RpcReply ReadStream(RpcStream& stream, bool endless) {
  RpcReply reply;
  while (const std::optional<std::string> bytes = stream.Read()) {
    reply.bytes += *bytes;
    if (endless) {
      stream.Cancel();
      while (stream.Read()) {
      }
      stream.Finish();
      return reply;
    }
  }
  reply.status = stream.Finish();
  return reply;
}

}  // namespace

const pb::MethodDescriptor& MethodOf(const pb::Message& request) {
  static const std::vector<const pb::MethodDescriptor*> methods = PublishedMethods();
  const auto found = std::ranges::find(methods, request.GetDescriptor(),
                                       [](const auto* method) { return method->input_type(); });
  if (found == methods.end()) throw std::logic_error("no method takes this request");
  return **found;
}

bool IsMutation(const pb::MethodDescriptor& method) {
  return method.options().GetExtension(options::v1::policy).effect() ==
         options::v1::EFFECT_MUTATION;
}

std::shared_ptr<pb::Message> With(const pb::Message& request,
                                  const std::vector<std::pair<std::string, std::string>>& texts) {
  std::shared_ptr<pb::Message> copy(request.New());
  copy->CopyFrom(request);
  for (const auto& [name, text] : texts) {
    const pb::FieldDescriptor* const field = copy->GetDescriptor()->FindFieldByName(name);
    if (field != nullptr) copy->GetReflection()->SetString(copy.get(), field, text);
  }
  return copy;
}

std::string TextOf(const pb::Message& request, const std::string& field) {
  const pb::FieldDescriptor* const found = request.GetDescriptor()->FindFieldByName(field);
  return found == nullptr ? "" : request.GetReflection()->GetString(request, found);
}

std::set<std::string> IdsIn(std::string_view bytes) {
  std::set<std::string> ids;
  for (std::size_t at = 0; at + kIdSize <= bytes.size(); ++at) {
    if (const auto id = IdAt(bytes, at)) ids.insert(*id);
  }
  return ids;
}

std::string EndOf(const RpcReply& reply) {
  std::string end = reply.status.code_name() + " " + reply.status.reason;
  for (const auto& [name, value] : reply.status.metadata) {
    end += " " + name + "=" + WithoutIds(value);
  }
  for (const auto& [field, rule] : reply.status.violations) end += " " + field;
  return end + ": " + WithoutIds(reply.status.message);
}

RpcReply Tenant::Send(const pb::Message& request) {
  const pb::MethodDescriptor& method = MethodOf(request);
  const std::string bytes = With(request, {{"project", project()}})->SerializeAsString();
  const std::string name(method.full_name());
  if (!method.server_streaming()) return stack_.grpc().CallBytes(name, bytes);
  const auto stream = stack_.grpc().OpenStream(name, bytes);
  return ReadStream(*stream, method.name() == "WatchOrder");
}

void Tenant::Start(const pb::Message& request) {
  const auto ended = std::make_shared<std::promise<void>>();
  begun_.push_back(ended->get_future());
  stack_.grpc().Start(MethodOf(request).full_name(),
                      With(request, {{"project", project()}})->SerializeAsString(), {},
                      [ended](const RpcReply& /*reply*/) { ended->set_value(); });
}

Tenant::~Tenant() {
  for (const std::future<void>& call : begun_) call.wait_for(kPatientLimit);
}

std::set<std::string> Tenant::OwnIds() const {
  std::set<std::string> ids;
  for (const Exchange& exchange : exchanges_) {
    ids.merge(IdsIn(exchange.reply.bytes));
    const std::string key = TextOf(*exchange.request, "idempotency_key");
    if (!key.empty()) ids.insert(OperationId(key));
  }
  ids.erase(project_id());
  // The sandbox's merchant, who has both projects.
  ids.erase("99999999-9999-4999-8999-999999999999");
  return ids;
}

std::string Tenant::OperationId(std::string_view key) const {
  return Uuid::V5(Uuid::Parse(project_id()).value_or(Uuid{}), key).ToString();
}

std::optional<operations::v1::Operation> Tenant::ReadOperation(std::string_view key) {
  operations::v1::GetOperationRequest request;
  request.set_idempotency_key(std::string(key));
  const RpcReply reply = Send(request);
  if (!reply.status.ok()) return std::nullopt;
  return reply.As<operations::v1::GetOperationResponse>().operation();
}

operations::v1::ListOperationsResponse Tenant::List(
    const operations::v1::ListOperationsRequest& request) {
  return Must<operations::v1::ListOperationsResponse>(request);
}

std::vector<std::string> Tenant::OperationsOf(const std::string& order_id) {
  operations::v1::ListOperationsRequest request;
  request.set_order_id(order_id);
  request.set_page_size(500);
  std::vector<std::string> found;
  const operations::v1::ListOperationsResponse listed = List(request);
  for (const operations::v1::Operation& operation : listed.operations()) {
    found.push_back(operation.id() + " " + operations::v1::OperationState_Name(operation.state()));
  }
  return found;
}

std::string Tenant::Standing() {
  std::string standing;
  for (const Exchange& exchange : exchanges_) {
    if (!IsMutation(*exchange.method)) continue;
    const std::string key = TextOf(*exchange.request, "idempotency_key");
    const auto operation = ReadOperation(key);
    standing += key + ": " + (operation ? operation->ShortDebugString() : "no operation") + "\n";
    const RpcReply replay = Send(*exchange.request);
    standing += EndOf(replay) + " " + replay.bytes + "\n";
    const std::string order = TextOf(*exchange.request, "order_id");
    if (order.empty()) continue;
    for (const std::string& each : OperationsOf(order)) standing += each + "\n";
  }
  return standing;
}

TwoTenants::TwoTenants(StackOptions options)
    : stack([&] {
        options.two_projects = true;
        return options;
      }()) {}

StackSettings LongQuarantine() { return {{"operations", {{"late_execution_bound", "10m"}}}}; }

}  // namespace tollbridge::test
