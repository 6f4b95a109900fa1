#include "adapters/redis/known_orders.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "adapters/redis/settled_family.h"
#include "base/core/status_macros.h"
#include "services/domain/timestamps.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::redis {
namespace {

constexpr std::size_t kPerOrder = 6;

const Script& LookScript() {
  static const Script script({kSettledLua, kLookAtOrdersLua});
  return script;
}

void Show(const storage::v1::OrderState& state, ports::KnownOrder& known) {
  known.recorded = state.has_status() || state.has_status_text();
  known.status = state.status();
  known.status_text = state.status_text();
  if (state.has_modified()) known.modified = domain::ToWallTime(state.modified());
}

/// {state, root, due, publishing, settled, noted as seen} of look_at_orders.lua, from `part` on.
/// What cannot be understood is no news of the other orders: it counts as not recorded, so that
/// somebody looks at the order, who says what is wrong with it.
ports::KnownOrder ReadOrder(const Uuid& order, const Reply* part) {
  ports::KnownOrder known{.root = order};
  storage::v1::OrderState state;
  if (!part[0].is_nil() && state.ParseFromString(part[0].text)) Show(state, known);
  if (!part[4].is_nil()) {
    const std::optional<SettledFamily> settled = UnpackSettled(part[4].text);
    if (settled) Show(settled->snapshot.root(), known);
  }
  if (!part[1].is_nil()) known.root = Uuid::FromBytes(part[1].text).value_or(order);
  if (const std::optional<std::int64_t> due = part[2].AsInteger()) {
    known.due = WallTime(ports::Millis(*due));
  }
  known.publishing = part[3].integer == 1;
  known.noted_as_seen = part[5].integer == 1;
  return known;
}

}  // namespace

RedisKnownOrders::RedisKnownOrders(CommandExecutor& executor, Keyspace keyspace)
    : executor_(executor), keyspace_(std::move(keyspace)) {}

Async<std::vector<ports::KnownOrder>> RedisKnownOrders::LookAt(const std::string& project,
                                                               const std::vector<Uuid>& orders,
                                                               const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, keyspace_.Of(project));
  Command arguments = {std::move(keys)};
  arguments.reserve(orders.size() + 1);
  for (const Uuid& order : orders) arguments.push_back(order.ToBytes());
  TB_CO_ASSIGN_OR_RETURN(const Reply reply, co_await LookScript().Run(
                                                executor_, std::move(arguments), context.deadline));
  if (reply.elements.size() != orders.size() * kPerOrder) {
    co_return UnexpectedReply("look_at_orders");
  }
  std::vector<ports::KnownOrder> known;
  known.reserve(orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) {
    known.push_back(ReadOrder(orders[i], &reply.elements[i * kPerOrder]));
  }
  co_return known;
}

}  // namespace tollbridge::redis
