#include "tests/chaos/events_driver/disturbances.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <csignal>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/core/uuid.h"
#include "tests/chaos/driver/collect.h"
#include "tests/chaos/events_auditor/history_file.h"
#include "tests/support/http_call.h"
#include "tests/support/process.h"
#include "tests/support/topic.h"
#include "tests/support/webhook.h"

namespace tollbridge::pipeline {
namespace {

/// Between two disturbances, so that what waits can get done.
constexpr std::int64_t kCalmLeast = 100;
constexpr std::int64_t kCalmMost = 700;
/// From when what was killed is there again until the next is killed. In a long run readers have to
/// keep up: each death costs the group a session, and what was read since the last commit.
constexpr std::int64_t kAliveLeast = 400;
constexpr std::int64_t kAliveMost = 1'400;
constexpr std::int64_t kAliveLeastLong = 3'000;
constexpr std::int64_t kAliveMostLong = 9'000;
constexpr const char* kBetween = "nothing but the service's faults";
/// A webhook's hint is handled and what it is about is told.
constexpr std::chrono::seconds kToldInAnyCase{60};

}  // namespace

Disturbances::Disturbances(Cluster* cluster, Ledgers* ledgers, const Options& options,
                           chaos::LineWriter* log)
    : cluster_(*cluster),
      ledgers_(ledgers),
      options_(options),
      log_(*log),
      random_(options.seed),
      next_(Clock::now() + Millis(3'000)),
      next_poison_(next_),
      flush_again_(Clock::now() + Millis(10'000)),
      next_kill_(next_) {
  PlanFaults();
  AddProcesses();
  AddRedis();
  if (options_.cluster) {
    AddBrokers();
  } else {
    AddKafka();
  }
  first_.resize(kinds_.size());
  std::iota(first_.begin(), first_.end(), std::size_t{0});
  std::ranges::shuffle(first_, random_);
  std::ranges::shuffle(first_kills_, random_);
}

std::int64_t Disturbances::Draw(std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(to - from + 1));
}

void Disturbances::Note(std::string_view what) {
  log_.Write(ToJson(DisturbanceLine{.at = chaos::NowMs(), .disturbance = std::string(what)}));
}

void Disturbances::NoteOver(std::string_view what, TimeMs at, bool stops,
                            const std::string& order) {
  DisturbanceLine line{.at = at, .disturbance = std::string(what)};
  line.until = chaos::NowMs();
  line.stops = stops ? 1 : 0;
  line.order = order;
  log_.Write(ToJson(line));
}

void Disturbances::PickOrders() {
  constexpr std::size_t kGarbled = 20;
  const boost::json::array orders = cluster_.stack().NewestSandboxOrders();
  std::vector<std::string> roots;
  for (const boost::json::value& order : orders) {
    if (order.as_object().contains("related_order_id")) continue;
    roots.emplace_back(order.at("id").as_string());
  }
  if (roots.empty()) return;
  if (orders_.hangs.empty()) {
    orders_.hangs = roots.front();
    hangs_since_ = chaos::NowMs();
  }
  for (const std::string& order : orders_.garbled) {
    NoteOver("reads garbled", garbled_since_, false, order);
  }
  garbled_since_ = chaos::NowMs();
  orders_.garbled.clear();
  while (orders_.garbled.size() < std::min(kGarbled, roots.size())) {
    orders_.garbled.push_back(roots[static_cast<std::size_t>(random_() % roots.size())]);
  }
}

void Disturbances::PlanFaults() {
  PickOrders();
  cluster_.stack().SandboxFaults(
      FaultPlan(options_, cluster_.intervals(), Draw(0, 1'000'000), orders_));
}

void Disturbances::PlanNoFaults() {
  Options calm = options_;
  calm.disturbed = false;
  cluster_.stack().SandboxFaults(FaultPlan(calm, cluster_.intervals(), 0, {}));
}

void Disturbances::AddProcesses() {
  kinds_.push_back({"a reader stopped still", 8, 500, 4'000, [this]() -> Undo {
                      const std::string name = cluster_.Running("events-").front();
                      cluster_.Signal(name, SIGSTOP);
                      return [this, name] {
                        if (cluster_.Runs(name)) cluster_.Signal(name, SIGCONT);
                      };
                    }});
  kinds_.push_back({"a reader stopped still past its session", 3, 7'000, 9'000, [this]() -> Undo {
                      const std::string name = cluster_.Running("events-").back();
                      cluster_.Signal(name, SIGSTOP);
                      return [this, name] {
                        if (cluster_.Runs(name)) cluster_.Signal(name, SIGCONT);
                      };
                    }});
  kinds_.push_back({"a reader restarted", 8, 100, 800, [this]() -> Undo {
                      const std::string name = cluster_.Running("events-").front();
                      cluster_.Stop(name);
                      return [this, name] {
                        if (!cluster_.Runs(name)) cluster_.Start(name);
                      };
                    }});
  kinds_.push_back({"a reader added for a while", 8, 1'000, 4'000, [this] { return AddReader(); }});
  kinds_.push_back({"a storm of rebalances", 3, 500, 1'500, [this]() -> Undo {
                      for (int i = 0; i < 3; ++i) AddReader()();
                      return [] {};
                    }});
  kinds_.push_back({"forged webhooks", 6, 100, 300, [this]() -> Undo {
                      Forge();
                      return [] {};
                    }});
  if (ledgers_ == nullptr) return;
  kinds_.push_back({"a consumer killed", 4, 100, 300, [this]() -> Undo {
                      const std::vector<std::string> books = ledgers_->Books();
                      ledgers_->Kill(books[static_cast<std::size_t>(random_() % books.size())]);
                      return [] {};
                    }});
}

void Disturbances::SendReadersAway() {
  if (!options_.readers_away || baseline_is_short_) return;
  baseline_is_short_ = true;
  const std::int64_t away = cluster_.intervals().readers_away.count();
  kinds_.push_back({.name = "readers away for longer than the baseline",
                    .weight = 0,
                    .least_ms = away,
                    .most_ms = away,
                    .begin = [this]() -> Undo {
                      readers_away_ = true;
                      // One that is dead just now comes back first, and goes with the others.
                      if (revive_) Revive();
                      const std::vector<std::string> names = cluster_.Running("events-");
                      for (const std::string& name : names) cluster_.Stop(name);
                      cluster_.ShortenBaseline();
                      return [this, names] {
                        for (const std::string& name : names) cluster_.Start(name);
                        readers_away_ = false;
                      };
                    },
                    .stops = true,
                    .wants_memory = true});
  first_.insert(first_.begin(), kinds_.size() - 1);
  if (!orders_.hangs.empty()) LetAnotherHang();
}

void Disturbances::AddRedis() {
  kinds_.push_back(
      {"Redis stopped still", 6, 300, 2'500,
       [this] { return StopRedis(&test::RedisServer::Pause, &test::RedisServer::Resume); }, false,
       true});
  kinds_.push_back({"connections to Redis cut", 6, 100, 300, [this]() -> Undo {
                      cluster_.redis_proxy().Cut();
                      return [] {};
                    }});
  kinds_.push_back(
      {"Redis restarted", 6, 200, 2'000,
       [this] { return StopRedis(&test::RedisServer::Stop, &test::RedisServer::Restart); }, false,
       true});
  kinds_.push_back({"Redis slow", 4, 1'000, 2'000, [this]() -> Undo {
                      cluster_.redis_proxy().SetDelay(Millis(50));
                      return [this] { cluster_.redis_proxy().SetDelay(Millis(0)); };
                    }});
  kinds_.push_back(
      {"Redis without its last writes", 6, 600, 5'000, [this] { return RollBack(); }, false, true});
  kinds_.push_back({"Redis flushed", 5, 100, 300, [this] { return FlushRedis(); }, true});
}

Disturbances::Undo Disturbances::StopRedis(void (test::RedisServer::*stop)(),
                                           void (test::RedisServer::*go_on)()) {
  redis_up_ = false;
  (cluster_.stack().redis().*stop)();
  return [this, go_on] {
    (cluster_.stack().redis().*go_on)();
    redis_up_ = true;
  };
}

void Disturbances::StepKills() {
  if (Clock::now() < next_kill_) return;
  if (readers_away_) return;
  if (revive_) {
    if (!broker_killed_ && (!redis_up_ || !kafka_up_)) return;
    Revive();
    next_kill_ = Clock::now() + Millis(options_.is_long() ? Draw(kAliveLeastLong, kAliveMostLong)
                                                          : Draw(kAliveLeast, kAliveMost));
    return;
  }
  killed_at_ = chaos::NowMs();
  std::int64_t which = Draw(0, 99);
  if (!first_kills_.empty()) {
    which = first_kills_.back();
    first_kills_.pop_back();
  }
  if (which < 12 && kafka_up_) {
    revive_ = KillBroker();
  } else if (which < 20) {
    revive_ = KillOne("reconcile");
  } else if (which < 45) {
    revive_ = KillOne("webhooks-");
  } else {
    revive_ = KillOne("events-");
  }
  next_kill_ = Clock::now() + Millis(Draw(200, 1'500));
}

void Disturbances::Revive() {
  const bool broker = broker_killed_;
  std::exchange(revive_, nullptr)();
  if (!killed_.empty()) NoteOver("killed: " + std::exchange(killed_, ""), killed_at_, broker);
}

void Disturbances::Step() {
  const Clock::time_point now = Clock::now();
  if (kafka_up_ && now >= next_poison_) {
    Poison();
    next_poison_ = now + Millis(700);
  }
  StepKills();
  // It may want to start a process.
  if (now < next_ || broker_killed_) return;
  if (undo_) {
    EndDisturbance();
    next_ = Clock::now() + Millis(Draw(kCalmLeast, kCalmMost));
    PlanFaults();
    return;
  }
  const Kind& kind = NextKind();
  name_ = kind.name;
  stops_ = kind.stops;
  begun_at_ = chaos::NowMs();
  Note(kind.name);
  undo_ = kind.begin();
  ++counts_[kind.name];
  next_ = Clock::now() + Millis(Draw(kind.least_ms, kind.most_ms));
}

const Disturbances::Kind& Disturbances::NextKind() {
  const bool memory_is_back = Clock::now() >= flush_again_ && cluster_.AllOrdersNoticed();
  const auto may_come = [=, this](const Kind& kind) {
    if (kind.wants_memory && !memory_is_back) return false;
    return !kind.takes_memory || (memory_is_back && !baseline_is_short_);
  };
  const auto first =
      std::ranges::find_if(first_, [&](std::size_t kind) { return may_come(kinds_[kind]); });
  if (first != first_.end()) {
    const Kind& kind = kinds_[*first];
    first_.erase(first);
    return kind;
  }
  std::vector<const Kind*> drawn;
  for (const Kind& kind : kinds_) {
    if (!may_come(kind)) continue;
    drawn.insert(drawn.end(), static_cast<std::size_t>(kind.weight), &kind);
  }
  return *drawn[static_cast<std::size_t>(random_() % drawn.size())];
}

void Disturbances::EndDisturbance() {
  std::exchange(undo_, nullptr)();
  NoteOver(name_, begun_at_, stops_);
  name_ = kBetween;
}

void Disturbances::EndWhatGoesOn() {
  if (undo_) EndDisturbance();
  if (revive_) Revive();
}

void Disturbances::End() {
  EndWhatGoesOn();
  for (const std::string& order : orders_.garbled) {
    NoteOver("reads garbled", garbled_since_, false, order);
  }
  options_.webhooks = Webhooks::kOnce;
  PlanNoFaults();
  name_ = "nothing";
  TellOf(EndHang());
}

std::vector<std::string> Disturbances::FamilyOf(const std::string& hung) const {
  std::unordered_map<std::string, std::string> parents;
  chaos::EachOrder(cluster_.stack(), [&parents](const boost::json::object& order) {
    const boost::json::value* parent = order.if_contains("related_order_id");
    if (parent == nullptr) return;
    parents.emplace(order.at("id").as_string(), parent->as_string());
  });
  std::vector<std::string> family{hung};
  for (const auto& [order, parent] : parents) {
    std::string root = parent;
    for (auto up = parents.find(root); up != parents.end(); up = parents.find(root)) {
      root = up->second;
    }
    if (root == hung) family.push_back(order);
  }
  return family;
}

std::vector<std::string> Disturbances::EndHang() {
  if (orders_.hangs.empty()) return {};
  const std::string hung = std::exchange(orders_.hangs, "");
  NoteOver("reads hang", hangs_since_, false, hung);
  return FamilyOf(hung);
}

// When Redis forgot an order that cannot be read, the sweep notices it anew, and nobody may be told
// any more what came about a baseline before that: it has to be told while that is long.
void Disturbances::LetAnotherHang() {
  EndWhatGoesOn();
  PlanNoFaults();
  const std::vector<std::string> hung = EndHang();
  PlanFaults();
  TellOf(hung);
  flush_again_ = std::max(flush_again_, Clock::now() + kToldInAnyCase);
}

// By now each is looked at in pauses of minutes, four times as long with each failure, and what is
// heard of one shortens the pause of that one alone.
void Disturbances::TellOf(const std::vector<std::string>& family) {
  for (const std::string& order : family) {
    const bool taken =
        test::Eventually([&] { return test::PostWebhook(cluster_.webhook_url(), order) == 200; });
    if (!taken) throw std::runtime_error("the ingress does not take a webhook of " + order);
  }
}

Disturbances::Undo Disturbances::KillOne(std::string_view role) {
  const std::vector<std::string> names = cluster_.Running(role);
  if (names.empty()) return [] {};
  const std::string name = names[static_cast<std::size_t>(random_() % names.size())];
  if (name.starts_with("events-added")) return [] {};  // it goes by itself
  Note("killed: " + name);
  killed_ = name;
  ++counts_["a process killed, " + std::string(role)];
  cluster_.Kill(name);
  return [this, name] { cluster_.Start(name); };
}

Disturbances::Undo Disturbances::AddReader() {
  const std::string name = "events-added-" + std::to_string(++added_);
  cluster_.Start(name);
  return [this, name] {
    if (cluster_.Runs(name)) cluster_.Stop(name);
  };
}

// From now on its log of commands says nothing of what comes.
Disturbances::Undo Disturbances::RollBack() {
  cluster_.stack().RedisCommand({"CONFIG", "SET", "appendonly", "no"});
  return [this] {
    cluster_.stack().redis().Restart();
    Note("store_rolled_back");
  };
}

Disturbances::Undo Disturbances::FlushRedis() {
  flush_again_ = Clock::now() + cluster_.intervals().between_flushes;
  Note("memory_lost");
  cluster_.stack().RedisCommand({"FLUSHALL"});
  return [] {};
}

void Disturbances::Forge() {
  constexpr int kForged = 60;
  const std::string url = cluster_.webhook_url();
  const std::string wrong = url.substr(0, url.size() - 1) + "x";
  for (int i = 0; i < kForged; ++i) {
    const std::string unknown = Uuid::V5(Uuid{}, "forged " + std::to_string(random_())).ToString();
    try {
      test::HttpCall("POST", i % 3 == 0 ? wrong : url,
                     i % 3 == 1 ? "{" : test::WebhookBody(unknown),
                     {{"Content-Type", "application/json"}}, Millis(3'000));
    } catch (const std::runtime_error&) {
      // The ingress is down: so are the others.
    }
  }
}

void Disturbances::Poison() {
  const std::string topic = cluster_.stack().TopicName("hints");
  test::ProduceTo(cluster_.stack().brokers(), topic, "poison " + std::to_string(random_() % 97),
                  "\xff\xff no hint");
  ++counts_["poison hints"];
}

}  // namespace tollbridge::pipeline
