#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "adapters/payment_service/codec.h"
#include "base/core/card_numbers.h"
#include "services/domain/errors.h"
#include "services/search/report_counter.h"
#include "services/webhooks/notification.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/fixed_service.h"
#include "tests/fuzz/traced_values.h"
#include "tests/support/endpoint_calls.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/options/v1/options.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

// Any bytes as an answer of the payment service. An input is `READER STATUS\n` and the body;
// without such a line its first byte chooses among the readers, and its second among the statuses.
// Readers are every message type of the interface (the codec alone: what was read must be written
// and read again as the same, and hold no number and no text that the body does not), every
// function of the client, the notification of a webhook, and the counter of a report.

namespace tollbridge::fuzz {
namespace {

namespace pb = google::protobuf;
namespace ps = payment_service;
using Fate = ports::Answer::Fate;

constexpr int kStatuses[] = {200, 201, 202, 204, 302, 400, 401, 404, 409, 422, 429, 500, 502, 503};
/// Longer than any text of ours, with what it may quote of the service.
constexpr std::size_t kLongestText = 1000;
/// As long as a quoted text can be without having been cut, which may make digits look like a card.
constexpr std::size_t kSurelyWhole = 512;

std::unique_ptr<pb::Message> NewMessage(const pb::Descriptor& type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(&type)->New());
}

/// Written and read again it must be the same; `text` is what it was read from.
void CheckRoundTrip(const pb::Message& message) {
  const absl::StatusOr<std::string> written = ps::ToWire(message);
  if (!written.ok()) {
    Found("what was read cannot be written: " + std::string(written.status().message()));
  }
  const std::unique_ptr<pb::Message> again(message.New());
  ps::DecodeReport report;
  const absl::Status read = ps::FromWire(*written, again.get(), &report);
  if (!read.ok()) Found("what was written cannot be read: " + std::string(read.message()));
  if (report.unknown_fields != 0 || report.unreadable_values != 0) {
    Found("what was written is passed over");
  }
  if (!pb::util::MessageDifferencer::Equals(message, *again)) {
    Found("read, written and read again it is another " + message.GetDescriptor()->full_name());
  }
  const absl::StatusOr<std::string> twice = ps::ToWire(*again);
  if (!twice.ok() || *twice != *written) Found("written again it is another text");
}

void ReadWithCodec(const pb::Descriptor& type, std::string_view body) {
  const std::unique_ptr<pb::Message> message = NewMessage(type);
  ps::DecodeReport report;
  const absl::Status read = ps::FromWire(body, message.get(), &report);
  if (report.findings.size() > ps::DecodeReport::kMaxFindings) Found("a report without a bound");
  if (!read.ok()) {
    if (message->ByteSizeLong() != 0) Found("an error leaves a part of the message");
    if (read.message().size() > kLongestText) Found("an error without a bound");
    return;
  }
  CheckRoundTrip(*message);
  boost::json::parse_options options;
  options.max_depth = ps::kMaxJsonDepth;
  options.numbers = boost::json::number_precision::precise;
  const boost::json::value value = boost::json::parse(body, {}, options);
  if (const std::string wrong = Untraced(*message, value); !wrong.empty()) Found(wrong);
}

void CheckText(std::string_view text) {
  if (text.size() > kLongestText) Found("a text without a bound");
  if (text.size() < kSurelyWhole && MaskCardNumbers(text) != text) Found("a card number in a text");
}

/// A refusal whatever the body: it is given before a request is looked at.
bool SpeaksForItself(int status) { return status == 401 || status == 403 || status == 429; }

void CheckMutation(const ports::Answer& answer, int status) {
  const bool success = status / 100 == 2;
  CheckText(answer.cause);
  switch (answer.fate) {
    case Fate::kNotSent:
      Found("an answer to what was not sent");
    case Fate::kAnswered:
      if (!success || answer.result == nullptr) Found("a success out of nothing");
      return;
    case Fate::kRefused:
      if (success || (!answer.refusal.has_error_object() && !SpeaksForItself(status))) {
        Found("a refusal out of nothing");
      }
      break;
    case Fate::kUnknown:
      if (answer.cause.empty()) Found("unknown without a cause");
      break;
  }
  if (answer.result != nullptr) Found("a result of what is not a success");
}

void CheckRead(const test::Told& told, int status) {
  if (told.status.ok()) {
    if (status / 100 != 2) Found("a success out of nothing");
    return;
  }
  if (told.result != nullptr) Found("an error with a result");
  if (domain::ReasonOf(told.status).empty()) Found("an error without a reason");
  CheckText({told.status.message().data(), told.status.message().size()});
}

void ReadWithClient(const test::EndpointCall& endpoint, int status, std::string_view body) {
  static boost::asio::io_context context{1};
  http::Response response;
  response.status = status;
  response.headers.Set("Retry-After", body.substr(0, 8));
  response.body = std::string(body);
  const auto client = ClientOf([&response](const ps::Exchange&) { return response; });
  const domain::Project project{.name = "shop"};
  const ports::Context call{.deadline = BootTime::max()};
  const ports::SendGuard guard{.write_before = BootTime::max()};
  const test::Told told = Run(context, endpoint.call(*client, project, call, guard));
  endpoint.mutation ? CheckMutation(told.answer, status) : CheckRead(told, status);
  if (!told.report.empty() && !std::string_view(body).starts_with(told.report)) {
    Found("a report that is not what was answered");
  }
  if (told.result != nullptr &&
      !told.result->GetDescriptor()->options().GetExtension(options::v1::wire)) {
    Found("a result that is no message of the service");
  }
}

struct Counted {
  absl::Status status;
  std::int64_t rows = 0;
  std::int64_t orders = 0;

  bool operator==(const Counted&) const = default;
};

Counted Count(std::string_view report, std::size_t piece) {
  search::ReportCounter counter(0);
  Counted counted;
  for (std::size_t at = 0; at < report.size() && counted.status.ok(); at += piece) {
    counted.status = counter.Take(report.substr(at, piece));
  }
  if (counted.status.ok()) counted.status = counter.End();
  counted.rows = counter.rows();
  counted.orders = counter.orders();
  return counted;
}

/// However a report comes apart, it counts the same.
void ReadReport(std::string_view report) {
  const Counted whole = Count(report, report.size() + 1);
  if (whole.orders > whole.rows) Found("more orders than rows");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    if (Count(report, piece) != whole) Found("a report that counts by its pieces");
  }
}

void ReadNotification(std::string_view body) {
  const auto notification = webhooks::ParseNotification(body);
  if (!notification) return;
  std::string again = R"({"event":"x","order_id":")" + notification->order_id.ToString() + '"';
  if (notification->project_id) {
    again += R"(,"project_id":")" + notification->project_id->ToString() + '"';
  }
  again += '}';
  const auto same = webhooks::ParseNotification(again);
  if (!same || same->order_id != notification->order_id ||
      same->project_id != notification->project_id) {
    Found("a notification that is not read again as the same");
  }
}

struct Reader {
  std::string name;
  std::function<void(int status, std::string_view body)> read;
};

void AddTypes(const pb::FileDescriptor& file, std::vector<Reader>& readers) {
  for (int i = 0; i < file.message_type_count(); ++i) {
    const pb::Descriptor& type = *file.message_type(i);
    if (!type.options().GetExtension(options::v1::wire)) continue;
    readers.push_back(
        {type.name(), [&type](int, std::string_view body) { ReadWithCodec(type, body); }});
  }
}

std::vector<Reader> MakeReaders() {
  std::vector<Reader> readers;
  for (const pb::Descriptor* type :
       {common::v1::Order::descriptor(), common::v1::Transaction::descriptor(),
        common::v1::Customer::descriptor(), common::v1::PaymentLink::descriptor(),
        common::v1::OrderSearch::descriptor(), payments::v1::CreateOrderRequest::descriptor(),
        vault::v1::StoreCardRequest::descriptor()}) {
    AddTypes(*type->file(), readers);
  }
  for (const test::EndpointCall& endpoint : test::EndpointCalls()) {
    readers.push_back({"Client." + endpoint.name, [&endpoint](int status, std::string_view body) {
                         ReadWithClient(endpoint, status, body);
                       }});
  }
  readers.push_back({"Report", [](int, std::string_view body) { ReadReport(body); }});
  readers.push_back({"Notification", [](int, std::string_view body) { ReadNotification(body); }});
  return readers;
}

/// Takes the first line, or the first two bytes.
void Take(std::string_view input) {
  static const std::vector<Reader> readers = MakeReaders();
  const std::size_t line = input.substr(0, 64).find('\n');
  if (line != std::string_view::npos) {
    const std::string_view name = input.substr(0, std::min(line, input.find(' ')));
    const auto reader = std::ranges::find(readers, name, &Reader::name);
    if (reader != readers.end()) {
      const std::string_view number = input.substr(name.size(), line - name.size());
      const auto status = std::ranges::find_if(
          kStatuses, [&](int known) { return number == " " + std::to_string(known); });
      const int given = status == std::end(kStatuses) ? 200 : *status;
      return reader->read(given, input.substr(line + 1));
    }
  }
  if (input.size() < 2) return;
  const auto first = static_cast<unsigned char>(input[0]);
  const auto second = static_cast<unsigned char>(input[1]);
  readers[first % readers.size()].read(kStatuses[second % std::size(kStatuses)], input.substr(2));
}

}  // namespace
}  // namespace tollbridge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tollbridge::fuzz::Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
