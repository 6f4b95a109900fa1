#include "tests/e2e/observability/prometheus_server.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <utility>

#include "base/http/url.h"
#include "tests/support/http_call.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;

/// "http://host:port/metrics" as a target.
std::string TargetOf(std::string url) {
  const std::size_t begin = url.find("//") + 2;
  return url.substr(begin, url.find('/', begin) - begin);
}

}  // namespace

PrometheusServer::PrometheusServer(const std::string& rules,
                                   const std::vector<std::string>& metrics_urls,
                                   const std::string& alertmanager) {
  Scrape(metrics_urls);
  folder_.Write("rules.yml", rules);
  const std::string alerting =
      alertmanager.empty() ? ""
                           : "alerting:\n  alertmanagers:\n    - static_configs: [{targets: [\"" +
                                 alertmanager + "\"]}]\n";
  const std::string config = folder_.Write(
      "prometheus.yml",
      "global: {scrape_interval: 300ms, scrape_timeout: 300ms, evaluation_interval: 300ms}\n"
      "rule_files: [rules.yml]\n" +
          alerting +
          "scrape_configs:\n"
          "  - job_name: tollbridge\n"
          "    file_sd_configs: [{files: [targets.json]}]\n");
  process_ = std::make_unique<Process>(std::vector<std::string>{
      "prometheus", "--config.file=" + config, "--storage.tsdb.path=" + folder_.PathOf("data"),
      "--web.listen-address=127.0.0.1:0", "--rules.alert.resend-delay=5s"});
  static const std::regex listening(R"(msg="?Listening on"? address=(127\.0\.0\.1:[0-9]+))");
  const bool ready = Eventually([&] {
    const std::string log = process_->standard_error();
    std::smatch found;
    if (!std::regex_search(log, found, listening)) return process_->WaitForExit({}).has_value();
    url_ = "http://" + found[1].str();
    return log.find("ready to receive web requests") != std::string::npos;
  });
  if (!ready || url_.empty()) {
    throw std::runtime_error("Prometheus does not start: " + process_->standard_error());
  }
}

void PrometheusServer::Scrape(const std::vector<std::string>& metrics_urls) {
  json::array targets;
  for (const std::string& url : metrics_urls) targets.emplace_back(TargetOf(url));
  const std::string text = json::serialize(json::array{json::object{{"targets", targets}}});
  // Renamed, so that nobody reads half of it.
  std::filesystem::rename(folder_.Write("targets.new", text), folder_.PathOf("targets.json"));
}

json::value PrometheusServer::Get(const std::string& path) const {
  const http::Response answer = HttpCall("GET", url_ + "/api/v1/" + path);
  json::value body = json::parse(answer.body);
  const json::object& object = body.as_object();
  if (object.at("status").as_string() != "success" || object.contains("warnings")) {
    throw std::runtime_error(path + ": " + answer.body);
  }
  return body.at("data");
}

json::array PrometheusServer::Query(const std::string& expression) const {
  return Get("query?query=" + http::PercentEncode(expression)).at("result").as_array();
}

json::array PrometheusServer::QueryRange(const std::string& expression, double from, double to,
                                         double step) const {
  return Get("query_range?query=" + http::PercentEncode(expression) + "&start=" +
             std::to_string(from) + "&end=" + std::to_string(to) + "&step=" + std::to_string(step))
      .at("result")
      .as_array();
}

json::array PrometheusServer::Rules() const {
  json::array rules;
  const json::value all = Get("rules");
  for (const json::value& group : all.at("groups").as_array()) {
    for (const json::value& rule : group.at("rules").as_array()) rules.push_back(rule);
  }
  return rules;
}

std::set<std::string> PrometheusServer::Firing(const std::string& severity) const {
  return AlertsIn("firing", severity);
}

std::set<std::string> PrometheusServer::Pending(const std::string& severity) const {
  return AlertsIn("pending", severity);
}

std::set<std::string> PrometheusServer::AlertsIn(std::string_view state,
                                                 const std::string& severity) const {
  std::set<std::string> names;
  const json::value all = Get("alerts");
  for (const json::value& alert : all.at("alerts").as_array()) {
    if (std::string_view(alert.at("state").as_string()) != state) continue;
    if (!severity.empty() && alert.at("labels").at("severity").as_string() != severity) continue;
    names.emplace(alert.at("labels").at("alertname").as_string());
  }
  return names;
}

}  // namespace tollbridge::test
