#include "adapters/telemetry/library_logs.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <opentelemetry/sdk/common/global_log_handler.h>

#include <string>
#include <string_view>

#include "base/telemetry/log.h"

namespace tollbridge::telemetry_exporters {
namespace {

namespace internal_log = opentelemetry::sdk::common::internal_log;
using telemetry::Severity;

void LogLibrary(Severity severity, std::string_view library, std::string_view message) {
  telemetry::Log(severity, "library_log", {{"library", library}, {"message", message}});
}

void FromProtobuf(google::protobuf::LogLevel level, const char*, int, const std::string& message) {
  const Severity severity = level == google::protobuf::LOGLEVEL_INFO      ? Severity::kInfo
                            : level == google::protobuf::LOGLEVEL_WARNING ? Severity::kWarning
                                                                          : Severity::kError;
  LogLibrary(severity, "protobuf", message);
}

void FromGrpc(gpr_log_func_args* args) {
  const Severity severity = args->severity == GPR_LOG_SEVERITY_ERROR  ? Severity::kError
                            : args->severity == GPR_LOG_SEVERITY_INFO ? Severity::kInfo
                                                                      : Severity::kDebug;
  LogLibrary(severity, "grpc", args->message == nullptr ? "" : args->message);
}

class FromOpenTelemetry final : public internal_log::LogHandler {
 public:
  void Handle(internal_log::LogLevel level, const char*, int, const char* message,
              const opentelemetry::sdk::common::AttributeMap&) noexcept override {
    // A collector that is away is not an error of ours: nothing but traces is lost.
    const Severity severity =
        level == internal_log::LogLevel::Error || level == internal_log::LogLevel::Warning
            ? Severity::kWarning
            : Severity::kDebug;
    LogLibrary(severity, "opentelemetry", message == nullptr ? "" : message);
  }
};

}  // namespace

void RouteLibraryLogs() {
  google::protobuf::SetLogHandler(&FromProtobuf);
  gpr_set_log_function(&FromGrpc);
  // Errors, or what GRPC_VERBOSITY says.
  gpr_log_verbosity_init();
  internal_log::GlobalLogHandler::SetLogHandler(
      opentelemetry::nostd::shared_ptr<internal_log::LogHandler>(new FromOpenTelemetry()));
  internal_log::GlobalLogHandler::SetLogLevel(internal_log::LogLevel::Warning);
}

}  // namespace tollbridge::telemetry_exporters
