#include "tests/e2e/observability/alertmanager_server.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <regex>
#include <stdexcept>
#include <vector>

#include "tests/e2e/observability/expressions.h"
#include "tests/support/http_call.h"

namespace tollbridge::test {

AlertmanagerServer::AlertmanagerServer() {
  process_ = std::make_unique<Process>(std::vector<std::string>{
      "prometheus-alertmanager",
      "--config.file=" + (ObservabilityFolder() / "alertmanager.yaml").string(),
      "--storage.path=" + folder_.PathOf("data"), "--web.listen-address=127.0.0.1:0",
      "--cluster.listen-address="});
  static const std::regex listening(R"(msg="?Listening on"? address=(127\.0\.0\.1:[0-9]+))");
  Eventually([&] {
    const std::string log = process_->standard_error();
    std::smatch found;
    if (!std::regex_search(log, found, listening)) return process_->WaitForExit({}).has_value();
    address_ = found[1];
    return true;
  });
  if (address_.empty()) {
    throw std::runtime_error("Alertmanager does not start: " + process_->standard_error());
  }
}

std::set<AlertmanagerServer::Alert> AlertmanagerServer::Alerts() const {
  std::set<Alert> alerts;
  const boost::json::value body =
      boost::json::parse(HttpGet("http://" + address_ + "/api/v2/alerts"));
  for (const boost::json::value& one : body.as_array()) {
    const auto label = [&](const char* name) {
      const boost::json::value* found = one.at("labels").as_object().if_contains(name);
      return found == nullptr ? std::string() : std::string(found->as_string());
    };
    Alert alert{
        .name = label("alertname"),
        .page = label("severity") == "page",
        .inhibited = !one.at("status").at("inhibitedBy").as_array().empty(),
        .receiver = std::string(one.at("receivers").as_array().front().at("name").as_string())};
    // Of several with one name, as of roles, one that is told counts.
    const auto [found, fresh] = alerts.insert(alert);
    if (fresh || alert.inhibited) continue;
    alerts.erase(found);
    alerts.insert(alert);
  }
  return alerts;
}

}  // namespace tollbridge::test
