#ifndef TOLLBRIDGE_TESTS_SUPPORT_OTLP_RECEIVER_H_
#define TOLLBRIDGE_TESTS_SUPPORT_OTLP_RECEIVER_H_

#include <boost/asio/io_context.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/http/server.h"
#include "tollbridge/otlp/v1/traces.pb.h"

namespace tollbridge::test {

/// A collector of spans: takes OTLP over HTTP (protobuf) on a free loopback port and keeps the
/// bytes. Throws std::runtime_error when it cannot listen.
class OtlpReceiver {
 public:
  OtlpReceiver();
  ~OtlpReceiver();
  OtlpReceiver(const OtlpReceiver&) = delete;
  OtlpReceiver& operator=(const OtlpReceiver&) = delete;

  /// What goes into traces.otlp_endpoint.
  std::string url() const;
  /// From now on exports must have one of these as their header `authorization`, or are answered
  /// 401. Before: any, or none.
  void Admit(std::vector<std::string> authorizations);
  /// That of the last export that was taken; empty: none.
  std::string last_authorization() const;
  /// Whether an export held a span of this name in this trace (32 hex digits).
  bool HasSpan(std::string_view name, std::string_view trace_id) const;
  /// All spans so far.
  std::vector<otlp::v1::Span> Spans() const;
  /// The bytes of all exports so far.
  std::string received() const;

 private:
  boost::asio::io_context context_{1};
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::string received_;
  std::vector<std::string> admitted_;  ///< empty: whoever comes
  std::string last_authorization_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_OTLP_RECEIVER_H_
