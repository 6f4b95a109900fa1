#ifndef TOLLBRIDGE_TESTS_SUPPORT_HTTP_CALL_H_
#define TOLLBRIDGE_TESTS_SUPPORT_HTTP_CALL_H_

#include <chrono>
#include <string>

#include "base/http/message.h"
#include "tests/support/process.h"

namespace tollbridge::test {

/// One HTTP exchange on a connection of its own; the target is the path and query of `url`. Blocks;
/// any thread. The answer as it came, redirects too. Throws std::runtime_error when none comes.
/// `ca_file`: whom to trust when `url` is https; empty: those that the system trusts.
http::Response HttpCall(const std::string& method, const std::string& url,
                        const std::string& body = "", const http::Headers& headers = {},
                        std::chrono::milliseconds limit = kPatientLimit,
                        const std::string& ca_file = "");

/// The body of a GET that must answer 200; throws std::runtime_error otherwise.
std::string HttpGet(const std::string& url);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_HTTP_CALL_H_
