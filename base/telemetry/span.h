#ifndef TOLLBRIDGE_BASE_TELEMETRY_SPAN_H_
#define TOLLBRIDGE_BASE_TELEMETRY_SPAN_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tollbridge::telemetry {

/// Identity of a span, as W3C Trace Context carries it.
struct TraceContext {
  std::array<std::uint8_t, 16> trace_id{};
  std::array<std::uint8_t, 8> span_id{};
  /// Bit 0: sampled.
  std::uint8_t flags = 0;
  /// What tracing systems on the way have added, passed on as it came; nullptr: nothing.
  std::shared_ptr<const std::string> state;

  /// Neither id is all zeros.
  bool valid() const;
  bool sampled() const { return (flags & 1) != 0; }
  /// 32 lower-case hexadecimal digits.
  std::string TraceIdHex() const;
  /// 16 lower-case hexadecimal digits.
  std::string SpanIdHex() const;
  /// "00-<trace id>-<span id>-<flags>"; "" when not valid.
  std::string ToTraceparent() const;
  /// Reads a traceparent of version 00, or of a later one that starts in the same way. nullopt for
  /// all else.
  static std::optional<TraceContext> FromTraceparent(std::string_view text);
  /// The same, with the `tracestate` that came beside it. One that Trace Context does not allow,
  /// that is longer than 512 bytes or that has what looks like a card number is left out.
  static std::optional<TraceContext> FromHeaders(std::string_view traceparent,
                                                 std::string_view tracestate);
  /// The `tracestate` to send beside ToTraceparent(); "" for none.
  std::string_view ToTracestate() const;

  bool operator==(const TraceContext& other) const;
};

enum class SpanKind {
  kInternal,
  kServer,  ///< its parent is another's: what a caller wants sampled is bounded here
  kClient,
  kProducer,
  kConsumer,
  kRoutine,  ///< internal; what nobody asked for and comes again and again: exported if it fails
};

using AttributeValue = std::variant<std::string_view, std::int64_t, double, bool>;

/// A span. Parents are explicit: no thread-local scope, since a coroutine may go on at any time on
/// a thread that does other things meanwhile. Has valid ids also when no exporter is set up, so
/// that traceparent propagates always. To be used by one thread at a time; ends when destroyed.
/// Movable; a moved-from span may only be destroyed or assigned to. String attributes are masked
/// like log fields.
class Span {
 public:
  /// The names of the attribute that Keep sets, and of those that a span starts with.
  static constexpr std::string_view kKept = "tollbridge.kept";
  static constexpr std::string_view kOfRoutine = "tollbridge.routine";
  /// Of one whose caller wants its trace sampled.
  static constexpr std::string_view kWanted = "tollbridge.wanted";

  Span(Span&&) noexcept;
  Span& operator=(Span&&) noexcept;
  ~Span();

  const TraceContext& context() const;
  /// Whether anybody takes its attributes: what is dear to make need not be made otherwise.
  bool recording() const;
  void SetAttribute(std::string_view name, AttributeValue value);
  /// An error with a description; spans without one are unset, which counts as success. A span with
  /// an error is exported although its trace is not sampled.
  void SetError(std::string_view description);
  /// `error.type` and SetError, of one of few constants.
  void SetErrorType(std::string_view type);
  /// It is exported although its trace is not sampled.
  void Keep();

 private:
  friend Span StartSpan(std::string_view, const TraceContext&, SpanKind,
                        std::optional<TraceContext>);
  struct Impl;
  explicit Span(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Starts a span now. An invalid `parent` starts a new trace. `link`: a span of another trace that
/// it follows from (given here because OpenTelemetry takes links at the start only).
Span StartSpan(std::string_view name, const TraceContext& parent,
               SpanKind kind = SpanKind::kInternal,
               std::optional<TraceContext> link = std::nullopt);

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_SPAN_H_
