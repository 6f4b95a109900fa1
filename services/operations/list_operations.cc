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
constexpr std::size_t kTagBytes = 8;
/// A token of ours is much shorter.
constexpr std::size_t kLongestToken = 512;

std::string TagOf(std::string_view text) {
  return Uuid::V5(Uuid{}, text).ToBytes().substr(0, kTagBytes);
}

/// What a token is bound to.
std::string FilterTag(const domain::Project& project, const ports::OperationQuery& query) {
  std::string filter = project.id.ToBytes();
  filter.push_back('\0');
  filter.append(query.state.has_value() ? std::to_string(static_cast<int>(*query.state)) : "-");
  filter.push_back('\0');
  filter.append(query.order_id);
  return TagOf(filter);
}

/// The filter's tag, one over that and the cursor, and the cursor. No secret is in a token, and no
/// time or id of another project. It is not signed: who makes one gets what a page of the same
/// project would show.
std::string MakeToken(const domain::Project& project, const ports::OperationQuery& query,
                      std::string_view cursor) {
  if (cursor.empty()) return {};
  const std::string filter = FilterTag(project, query);
  const std::string place(cursor);
  return Base64Encode(filter + TagOf(filter + place) + place);
}

absl::StatusOr<std::string> CursorOf(const domain::Project& project,
                                     const ports::OperationQuery& query, const std::string& token) {
  const std::optional<std::string> raw =
      token.size() <= kLongestToken ? Base64Decode(token) : std::nullopt;
  if (!raw.has_value() || raw->size() <= 2 * kTagBytes) {
    return domain::InvalidRequest({{"page_token", "must be next_page_token of an earlier answer"}});
  }
  const std::string filter = raw->substr(0, kTagBytes);
  std::string cursor = raw->substr(2 * kTagBytes);
  if (raw->substr(kTagBytes, kTagBytes) != TagOf(filter + cursor)) {
    return domain::InvalidRequest({{"page_token", "must be next_page_token of an earlier answer"}});
  }
  if (filter != FilterTag(project, query)) {
    return domain::InvalidRequest(
        {{"page_token", "must be used with the project, state and order_id that it came from"}});
  }
  return cursor;
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
    TB_CO_ASSIGN_OR_RETURN(query.cursor, CursorOf(project, query, request.page_token()));
  }
  TB_CO_ASSIGN_OR_RETURN(ports::OperationPage page, co_await registry.List(query, context));

  v1::ListOperationsResponse response;
  for (v1::Operation& operation : page.operations) {
    *response.add_operations() = std::move(operation);
  }
  response.set_next_page_token(MakeToken(project, query, page.next));
  co_return response;
}

}  // namespace tollbridge::operations
