#include "tests/support/otlp_receiver.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/core/encoding.h"
#include "tests/support/otlp_spans.h"

namespace tollbridge::test {
OtlpReceiver::OtlpReceiver() {
  auto server = http::Server::Start(
      {context_.get_executor()}, {},
      [this](const http::Request& request,
             const http::ConnectionInfo&) -> boost::asio::awaitable<http::Response> {
        const std::lock_guard lock(mutex_);
        const std::string shown(request.headers.Find("authorization").value_or(""));
        if (!admitted_.empty() && std::ranges::find(admitted_, shown) == admitted_.end()) {
          co_return http::Response{.status = 401};
        }
        last_authorization_ = shown;
        received_ += request.body;
        co_return http::Response{};
      });
  if (!server.ok()) throw std::runtime_error(server.status().ToString());
  server_ = *std::move(server);
  thread_ = std::thread([this] { context_.run(); });
}

OtlpReceiver::~OtlpReceiver() {
  context_.stop();
  thread_.join();
}

std::string OtlpReceiver::url() const { return "http://" + server_->address() + "/v1/traces"; }

void OtlpReceiver::Admit(std::vector<std::string> authorizations) {
  const std::lock_guard lock(mutex_);
  admitted_ = std::move(authorizations);
}

std::string OtlpReceiver::last_authorization() const {
  const std::lock_guard lock(mutex_);
  return last_authorization_;
}

std::string OtlpReceiver::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

std::vector<otlp::v1::Span> OtlpReceiver::Spans() const {
  // Messages behind each other are one whose lists have the elements of all.
  otlp::v1::ExportTracesRequest all;
  if (!all.ParseFromString(received())) throw std::runtime_error("no export of traces");
  return SpansOf(all);
}

bool OtlpReceiver::HasSpan(std::string_view name, std::string_view trace_id) const {
  return std::ranges::any_of(Spans(), [&](const otlp::v1::Span& span) {
    return span.name() == name && HexEncode(span.trace_id()) == trace_id;
  });
}

}  // namespace tollbridge::test
