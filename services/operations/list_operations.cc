#include "services/operations/list_operations.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/encoding.h"
#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "services/domain/errors.h"
#include "services/operations/request_rules.h"

namespace tollbridge::operations {
namespace {

constexpr std::size_t kDefaultPage = 50;
constexpr std::size_t kFilterBytes = 8;
/// A token of ours is much shorter.
constexpr std::size_t kLongestToken = 512;

/// What a token is bound to: the first bytes of a hash over the filter. No secret is in a token,
/// and who forges one gets what any page of the same project would show.
std::string FilterTag(const ports::OperationQuery& query) {
  std::string filter = query.project;
  filter.push_back('\0');
  filter.append(query.state.has_value() ? std::to_string(static_cast<int>(*query.state)) : "-");
  filter.push_back('\0');
  filter.append(query.order_id);
  return Uuid::V5(Uuid{}, filter).ToBytes().substr(0, kFilterBytes);
}

std::string MakeToken(const ports::OperationQuery& query, std::string_view cursor) {
  if (cursor.empty()) return {};
  return Base64Encode(FilterTag(query) + std::string(cursor));
}

absl::StatusOr<std::string> CursorOf(const ports::OperationQuery& query, const std::string& token) {
  const std::optional<std::string> raw =
      token.size() <= kLongestToken ? Base64Decode(token) : std::nullopt;
  if (!raw.has_value() || raw->size() <= kFilterBytes) {
    return domain::InvalidRequest({{"page_token", "must be next_page_token of an earlier answer"}});
  }
  if (raw->substr(0, kFilterBytes) != FilterTag(query)) {
    return domain::InvalidRequest(
        {{"page_token", "must be used with the project, state and order_id that it came from"}});
  }
  return raw->substr(kFilterBytes);
}

}  // namespace

Async<v1::ListOperationsResponse> ListOperations(ports::OperationRegistry& registry,
                                                 const domain::Project& project,
                                                 const v1::ListOperationsRequest& request,
                                                 ports::Context context) {
  ports::OperationQuery query;
  query.project = project.name;
  if (request.has_state()) query.state = request.state();
  // In the form that records have it.
  if (request.has_order_id()) query.order_id = Uuid::Parse(request.order_id())->ToString();
  query.limit =
      request.has_page_size() ? static_cast<std::size_t>(request.page_size()) : kDefaultPage;
  if (!request.page_token().empty()) {
    TB_CO_ASSIGN_OR_RETURN(query.cursor, CursorOf(query, request.page_token()));
  }
  TB_CO_ASSIGN_OR_RETURN(ports::OperationPage page, co_await registry.List(query, context));

  v1::ListOperationsResponse response;
  for (v1::Operation& operation : page.operations) {
    // An order may be known to several projects' operations only by mistake; then it is not shown.
    if (operation.project() == project.name) *response.add_operations() = std::move(operation);
  }
  response.set_next_page_token(MakeToken(query, page.next));
  co_return response;
}

}  // namespace tollbridge::operations
