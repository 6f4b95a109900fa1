// The report: a search whose answer is streamed.

#include <utility>

#include "adapters/payment_service/answers.h"
#include "adapters/payment_service/client.h"
#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/requests.h"
#include "services/domain/errors.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payment_service {
namespace {

/// The answer began, and did not come to its end.
bool IsCutOff(const ExchangeResult& result) {
  if (result.fate != http::Fate::kUnknown) return false;
  return absl::IsDataLoss(result.error) ||
         (result.body_given && !absl::IsDeadlineExceeded(result.error));
}

absl::Status CutOff() {
  return domain::MakeError(
      absl::StatusCode::kDataLoss, "the payment service's report ended before its end",
      {.reason = domain::reason::kUpstreamUnreadable, .retry = domain::Retry::kSafeSameKey});
}

}  // namespace

AsyncStatus Client::ReadReport(const domain::Project& project,
                               const common::v1::OrderSearch& search, const ports::ReportSink& sink,
                               const ports::Context& context) {
  absl::StatusOr<std::string> body = ToWire(search);
  if (!body.ok()) co_return std::move(body).status();
  Exchange exchange =
      NewExchange("read_report", Effect::kRead, "POST",
                  {.target = std::string(kSearchPath) + "?format=csv"}, project, context);
  SetJson(*std::move(body), &exchange.request);
  exchange.request.headers.Set("Accept", "text/csv");
  exchange.on_body = sink;
  const ExchangeResult result = co_await pipe_.Send(std::move(exchange));
  if (result.body_refused) co_return result.error;
  if (IsCutOff(result)) co_return CutOff();
  co_return CheckAnswered(result);
}

}  // namespace tollbridge::payment_service
