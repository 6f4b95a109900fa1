#include "services/reconcile/write_hint.h"

#include <chrono>

#include "base/telemetry/span.h"
#include "services/domain/timestamps.h"

namespace tollbridge::reconcile {
namespace {

constexpr std::chrono::seconds kTimeout{5};

}  // namespace

AsyncStatus WriteHint(ports::HintLog& log, const ports::Clock& clock, ports::FamilyKey family,
                      Uuid order, events::v1::HintSource source, std::optional<WallTime> as_of) {
  const telemetry::Span span =
      telemetry::StartSpan("hint order", {}, telemetry::SpanKind::kProducer);
  events::v1::Hint hint;
  hint.set_order_id(family.root.ToString());
  if (family.root != order) hint.set_member(order.ToString());
  hint.set_project(family.project);
  hint.set_source(source);
  *hint.mutable_noticed_at() = domain::ToTimestamp(clock.WallNow());
  if (as_of) *hint.mutable_noticed_as_of() = domain::ToTimestamp(*as_of);
  const ports::Context context{.deadline = clock.BootNow() + kTimeout, .trace = span.context()};
  co_return co_await log.Append(hint, context);
}

}  // namespace tollbridge::reconcile
