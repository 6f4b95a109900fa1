#include "tests/e2e/observability/fault_night.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include "tests/e2e/observability/expressions.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;

/// Of what is recorded.
constexpr std::string_view kWindow = "8s";
constexpr std::string_view kPrefix = "Tollbridge";
/// An alert comes, or goes, by then.
constexpr std::chrono::seconds kLimit{240};
constexpr std::chrono::milliseconds kBetweenWebhooks{250};
/// Where what there was to see is written, if anywhere: ./dev dashboards --pictures reads it.
constexpr const char* kRecord = "TOLLBRIDGE_RECORD_NIGHT";
constexpr double kRecordedStep = 2;
/// The only fault that is made, if it has a value.
constexpr const char* kOnly = "TOLLBRIDGE_ONLY_FAULT";

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string Short(const std::string& alert) {
  return alert.starts_with(kPrefix) ? alert.substr(kPrefix.size()) : alert;
}

/// The greatest value of the series; nullopt where there is none.
std::optional<double> Greatest(const json::array& series) {
  std::optional<double> greatest;
  for (const json::value& one : series) {
    const double value = std::strtod(one.at("value").as_array()[1].as_string().c_str(), nullptr);
    // Not for one that is no number.
    if (!greatest || value > *greatest) greatest = value == value ? value : greatest;
  }
  return greatest;
}

std::string Text(const std::set<std::string>& names) { return testing::PrintToString(names); }

}  // namespace

Paced::Paced(std::chrono::milliseconds pause, std::function<void()> work)
    : thread_([this, pause, work = std::move(work)] {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, pause, [this] { return stopping_; })) {
          lock.unlock();
          work();
          lock.lock();
        }
      }) {}

Paced::~Paced() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

FaultNight::FaultNight(const Options& options)
    : options_(options),
      stack_(options.stack),
      prometheus_(ShortenedRules(), {}, alertmanager_.address()) {
  if (options.sandbox_proxy != nullptr) {
    options.sandbox_proxy->SetUpstream(SandboxPort());
  }
  for (const std::vector<std::string>& roles : options.others) {
    others_.push_back(stack_.OneMoreGateway({}, roles));
  }
  ScrapeAll();
  StartCallers();
  StartWebhooks();
  EXPECT_TRUE(Eventually(
      [&] { return !prometheus_.Query("tollbridge_sweep_ended_timestamp_seconds").empty(); }));
  began_ = Now();
}

FaultNight::~FaultNight() {
  StopCallers();
  StopWebhooks();
  if (std::getenv(kRecord) != nullptr) Record();
}

std::uint16_t FaultNight::SandboxPort() const {
  const std::string& url = stack_.sandbox_url();
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

void FaultNight::StartCallers() {
  if (options_.orders_per_second == 0) return;
  ++rounds_;
  callers_.emplace(
      stack_.grpc_address(),
      SteadyLoadOptions{.per_second = options_.orders_per_second,
                        .connections = 2,
                        .call = [round = rounds_](std::size_t number) {
                          return SteadyCall{
                              .method = kCreateOrder,
                              .request = OrderRequest("night-" + std::to_string(round) + "-" +
                                                      std::to_string(number))
                                             .SerializeAsString()};
                        }});
}

void FaultNight::StartWebhooks() {
  if (!options_.webhooks) return;
  const auto ingress = std::ranges::find_if(others_, [](const auto& process) {
    return process && !process->ingress_origin().ends_with("//");
  });
  if (ingress == others_.end()) throw std::runtime_error("nobody takes webhooks");
  const std::string url =
      (*ingress)->ingress_origin() + "/webhooks/" + std::string(kDemoProject.webhook_token);
  webhooks_.emplace(kBetweenWebhooks, [url] { PostWebhook(url, kNobodysOrder); });
}

void FaultNight::StartOther(std::size_t number) {
  others_.at(number) = stack_.OneMoreGateway({}, options_.others.at(number));
  ScrapeAll();
}

void FaultNight::StartGateway() {
  stack_.StartGateway();
  ScrapeAll();
  StartCallers();
}

void FaultNight::ScrapeToo(const std::string& metrics_url) {
  more_pages_.push_back(metrics_url);
  ScrapeAll();
}

void FaultNight::ScrapeAll() {
  std::vector<std::string> urls = more_pages_;
  urls.push_back(stack_.metrics_url());
  for (const auto& process : others_) {
    if (process) urls.push_back(process->metrics_url());
  }
  prometheus_.Scrape(urls);
}

std::string FaultNight::Tollbridge(std::vector<std::string> arguments) {
  const std::string what = testing::PrintToString(arguments);
  const Finished finished = stack_.Tollbridge(std::move(arguments));
  EXPECT_EQ(finished.code, 0) << what << ": " << finished.output << finished.error;
  return finished.output;
}

bool FaultNight::OnlyOne() { return std::getenv(kOnly) != nullptr; }

std::set<std::string> FaultNight::Told() {
  Watch();
  std::set<std::string> told;
  for (const AlertmanagerServer::Alert& alert : alertmanager_.Alerts()) {
    if (alert.inhibited) continue;
    EXPECT_EQ(alert.receiver, alert.page ? "people" : "tickets") << alert.name;
    told.insert(Short(alert.name));
  }
  return told;
}

void FaultNight::Watch() {
  for (const std::string& alert : prometheus_.Firing()) seen_.insert(Short(alert));
  for (const std::string& alert : prometheus_.Firing("page")) pages_.insert(Short(alert));
}

void FaultNight::Meets(std::string_view name, const Steps& steps) {
  const Fault& fault = FaultOf(name);
  if (OnlyOne() && name != std::getenv(kOnly)) return;
  SCOPED_TRACE(fault.name);
  std::set<std::string> told;
  const auto is_told = [&] { return std::ranges::includes(told = Told(), fault.alerts); };
  const auto pages_told = [&] {
    std::set<std::string> pages;
    for (const AlertmanagerServer::Alert& alert : alertmanager_.Alerts()) {
      if (alert.page && !alert.inhibited) pages.insert(Short(alert.name));
    }
    return pages;
  };
  // What is pending would fire in this fault for what was before it.
  EXPECT_TRUE(Eventually(
      [&] {
        return (told = Told()).empty() && prometheus_.Firing().empty() &&
               prometheus_.Pending("page").empty();
      },
      kLimit))
      << "before it: " << Text(told);
  pages_.clear();

  spans_.push_back({.fault = fault.name, .from = Now()});
  steps.make();
  const double made = Now();
  EXPECT_TRUE(Eventually(is_told, kLimit)) << Text(fault.alerts) << " wanted: " << Text(told);
  figures_[fault.name].fires = Now() - made;
  std::set<std::string> pages;
  EXPECT_TRUE(Eventually(
      [&] {
        Watch();
        return std::ranges::includes(fault.alerts, pages = pages_told());
      },
      kLimit))
      << "no page but " << Text(fault.alerts) << " wanted: " << Text(pages);
  const std::map<int, Question> questions = BadNight();
  for (const auto& [number, least] : fault.answers) {
    std::optional<double> value;
    const std::string query = WithShortWindows(questions.at(number).query);
    const bool answered = Eventually([&] {
      Watch();
      value = Greatest(prometheus_.Query(query));
      return value && *value >= least;
    });
    EXPECT_TRUE(answered) << number << ". " << questions.at(number).asks << " " << query << ": "
                          << testing::PrintToString(value);
    if (answered) answered_.emplace(fault.name, number);
  }
  steps.look();
  steps.end();
  spans_.back().to = Now();
  EXPECT_TRUE(Eventually(
      [&] {
        told = Told();
        return std::ranges::none_of(fault.alerts,
                                    [&](const auto& alert) { return told.contains(alert); });
      },
      kLimit))
      << Text(fault.alerts) << " to be over: " << Text(told);
  figures_[fault.name].resolves = Now() - spans_.back().to;
  std::cout << fault.name << ": " << figures_[fault.name].fires << " s, "
            << figures_[fault.name].resolves << " s; pages " << Text(pages_) << std::endl;
  for (const std::string& page : pages_) {
    EXPECT_TRUE(fault.alerts.contains(page) || fault.held_back.contains(page))
        << page << " pages as well";
  }
}

void FaultNight::Record() const {
  const double end = Now();
  json::array faults;
  for (const Span& span : spans_) {
    faults.push_back(
        {{"fault", span.fault}, {"from", span.from}, {"to", span.to > 0 ? span.to : end}});
  }
  json::array panels;
  for (const Expression& expression : DashboardExpressions(kWindow)) {
    if (expression.where.find(", variable ") != std::string::npos) continue;
    panels.push_back(
        {{"where", expression.where},
         {"query", expression.text},
         {"series", prometheus_.QueryRange(expression.text, began_, end, kRecordedStep)}});
  }
  const std::filesystem::path folder = std::getenv(kRecord);
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  std::ofstream(folder / (test + ".json")) << json::serialize(
      json::object{{"from", began_}, {"to", end}, {"faults", faults}, {"panels", panels}});
}

}  // namespace tollbridge::test
