#include "services/search/export_orders.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/encoding.h"
#include "base/core/sha256.h"
#include "base/core/status_macros.h"
#include "services/domain/encoded.h"
#include "services/search/errors.h"
#include "services/search/page_token.h"
#include "services/search/paging.h"
#include "services/search/query.h"
#include "services/search/report_counter.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::search {
namespace {

using Sink = StreamSink<v1::ExportOrdersResponse>;

/// What is less waits for more; what is not goes on as it came, and is copied once.
constexpr std::size_t kLeastSent = kMaxChunkBytes / 2;

/// What passes through: counted, summed up, and cut into messages.
class Passage {
 public:
  Passage(std::int64_t expected_orders, const Sink& sink)
      : counter_(expected_orders), sink_(sink) {}

  AsyncStatus Take(std::string_view bytes) {
    const absl::Status counted = counter_.Take(bytes);
    TB_CO_RETURN_IF_ERROR(counted);
    sum_.Update(bytes);
    bytes_ += static_cast<std::int64_t>(bytes.size());
    const bool fills_a_message = bytes.size() >= kLeastSent;
    if (!kept_.empty() && (fills_a_message || kept_.size() + bytes.size() > kMaxChunkBytes)) {
      TB_CO_RETURN_IF_ERROR(co_await Send(std::exchange(kept_, {})));
    }
    while (bytes.size() >= kLeastSent) {
      const std::string_view chunk = bytes.substr(0, kMaxChunkBytes);
      bytes.remove_prefix(chunk.size());
      TB_CO_RETURN_IF_ERROR(co_await Send(chunk));
    }
    kept_ += bytes;
    co_return absl::OkStatus();
  }

  /// The rest and the summary, unless orders are missing.
  AsyncStatus End(std::int64_t expected_orders) {
    const absl::Status ended = counter_.End();
    TB_CO_RETURN_IF_ERROR(ended);
    if (counter_.orders() < expected_orders) {
      co_return ReportIncomplete(
          "the report is about fewer orders than the search had counted before it");
    }
    if (!kept_.empty()) {
      TB_CO_RETURN_IF_ERROR(co_await Send(kept_));
    }
    v1::ExportSummary summary;
    summary.set_rows(counter_.rows());
    summary.set_orders(counter_.orders());
    summary.set_bytes(bytes_);
    summary.set_sha256(HexEncode(sum_.Finish()));
    Message message;
    domain::AppendEncoded(v1::ExportOrdersResponse::kSummaryFieldNumber,
                          summary.SerializeAsString(), &message.bytes);
    co_return co_await sink_(std::move(message));
  }

 private:
  using Message = domain::Encoded<v1::ExportOrdersResponse>;

  AsyncStatus Send(std::string_view chunk) {
    Message message;
    message.bytes.reserve(chunk.size() + domain::kMostEncodedHead);
    domain::AppendEncoded(v1::ExportOrdersResponse::kChunkFieldNumber, chunk, &message.bytes);
    return sink_(std::move(message));
  }

  ReportCounter counter_;
  Sha256 sum_;
  std::int64_t bytes_ = 0;
  /// Not sent yet, since it is too little for a message.
  std::string kept_;
  const Sink& sink_;
};

/// How many orders match.
Async<std::int64_t> Count(ports::PaymentService& service, const domain::Project& project,
                          const std::string& query, const ports::Context& context) {
  common::v1::OrderSearch search;
  search.set_query(query);
  search.set_size(1);
  search.set_sort(std::string(kSortById));
  search.set_search_after(std::string(kBeforeFirst));
  TB_CO_ASSIGN_OR_RETURN(common::v1::OrderSearchResult found,
                         co_await service.SearchOrders(project, search, context));
  if (!found.has_hits()) {
    co_return Unreadable(
        "the search does not tell how many orders match: no report can be checked");
  }
  if (found.hits() > kMaxReportOrders) {
    co_return TooManyResults(
        "more orders match than a report may be about (860,000): ask for a narrower query, for "
        "example a shorter period");
  }
  co_return found.hits();
}

}  // namespace

AsyncStatus ExportOrders(ports::PaymentService& service, const domain::Project& project,
                         const v1::ExportOrdersRequest& request, const ports::Context& context,
                         const StreamSink<v1::ExportOrdersResponse>& sink) {
  common::v1::OrderSearch report;
  report.set_query(CompileQuery(request.query()));
  report.set_sort(std::string(kSortById));
  TB_CO_ASSIGN_OR_RETURN(const std::int64_t expected,
                         co_await Count(service, project, report.query(), context));

  Passage passage(expected, sink);
  const ports::ReportSink take = [&passage](std::string_view bytes) { return passage.Take(bytes); };
  TB_CO_RETURN_IF_ERROR(co_await service.ReadReport(project, report, take, context));
  co_return co_await passage.End(expected);
}

}  // namespace tollbridge::search
