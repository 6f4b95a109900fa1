#include "tests/integration/sandbox/sandbox_process.h"

#include <boost/json/parse.hpp>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "base/core/encoding.h"
#include "base/http/url.h"
#include "tests/support/http_call.h"

namespace tollbridge::test {
namespace {

std::vector<std::string> Command(std::vector<std::string> arguments) {
  std::vector<std::string> command = {ProgramBeside("tollbridge-sandbox"), "--listen",
                                      "127.0.0.1:0"};
  for (std::string& argument : arguments) command.push_back(std::move(argument));
  return command;
}

}  // namespace

SandboxProcess::SandboxProcess(std::vector<std::string> arguments)
    : process_(Command(std::move(arguments))) {
  const auto line = process_.WaitForLine("base_url");
  if (!line) throw std::runtime_error("the sandbox did not start: " + process_.standard_error());
  addresses_ = boost::json::parse(*line).as_object();
  // Not base_url, which --public-url sets.
  url_ = "http://" + std::string(addresses_.at("listen").as_string());
}

std::string SandboxProcess::host() const { return http::ParseUrl(url_)->host; }
std::uint16_t SandboxProcess::port() const { return http::ParseUrl(url_)->port; }

http::Response SandboxProcess::Ask(const std::string& method, std::string_view path,
                                   const std::string& body, std::string_view key) const {
  http::Headers headers;
  if (!key.empty()) {
    headers.Set("Authorization", "Basic " + Base64Encode(std::string(key) + ":"));
  }
  // Patient: a whole report is a long answer for a busy machine.
  return HttpCall(method, url_ + std::string(path), body, headers, std::chrono::minutes(1));
}

std::string SandboxProcess::Operate(std::string_view call, const std::string& body) const {
  const http::Response response = Ask("POST", "/_sandbox/" + std::string(call), body, "");
  if (response.status != 200) throw std::runtime_error(std::string(call) + ": " + response.body);
  return response.body;
}

std::string SandboxProcess::Look(std::string_view call) const {
  return HttpGet(url_ + "/_sandbox/" + std::string(call));
}

}  // namespace tollbridge::test
