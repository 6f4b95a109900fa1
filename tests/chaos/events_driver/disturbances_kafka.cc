// What goes wrong with Kafka: with one broker, or with three.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tests/chaos/events_driver/disturbances.h"

namespace tollbridge::pipeline {
namespace {

/// Until a broker that was away has what it missed.
constexpr std::chrono::minutes kUntilInSync{2};

}  // namespace

void Disturbances::AddKafka(const char* name, int weight, std::int64_t least_ms,
                            std::int64_t most_ms, std::function<Undo()> begin) {
  kinds_.push_back({.name = name,
                    .weight = weight,
                    .least_ms = least_ms,
                    .most_ms = most_ms,
                    .begin = [this, begin = std::move(begin)]() -> Undo {
                      kafka_up_ = false;
                      return [this, undo = begin()] {
                        undo();
                        kafka_up_ = true;
                      };
                    },
                    .stops = true});
}

void Disturbances::AddKafka() {
  AddKafka("Kafka stopped still", 6, 500, 3'000, [this] { return PauseKafka(); });
  if (!options_.is_long()) return;
  const std::int64_t outage = cluster_.intervals().long_outage.count();
  AddKafka("Kafka stopped still for long", 1, outage, outage, [this] { return PauseKafka(); });
}

Disturbances::Undo Disturbances::PauseKafka() {
  if (!options_.cluster) {
    cluster_.kafka().Pause();
    return [this] { cluster_.kafka().Resume(); };
  }
  test::KafkaCluster& brokers = *cluster_.brokers();
  for (std::size_t i = 0; i < test::KafkaCluster::kBrokers; ++i) brokers.broker(i).Pause();
  return [&brokers] {
    for (std::size_t i = 0; i < test::KafkaCluster::kBrokers; ++i) brokers.broker(i).Resume();
    brokers.AwaitInSync(kUntilInSync);
  };
}

test::KafkaBroker& Disturbances::AnyBroker() {
  return cluster_.brokers()->broker(
      static_cast<std::size_t>(Draw(0, test::KafkaCluster::kBrokers - 1)));
}

// One at a time: the next goes when what the one before it missed is there again, so that what was
// acknowledged is kept by two.
void Disturbances::AddBrokers() {
  test::KafkaCluster& brokers = *cluster_.brokers();
  // To the others and to clients it is as if nothing came through any more: its leaders are
  // elected elsewhere when its session is over, and when it goes on it still takes itself for one.
  const auto cut_off = [this, &brokers]() -> Undo {
    test::KafkaBroker& broker = AnyBroker();
    broker.Pause();
    return [&broker, &brokers] {
      broker.Resume();
      brokers.AwaitInSync(kUntilInSync);
    };
  };
  AddKafka("a broker cut off", 6, 500, 3'000, cut_off);
  const std::int64_t session = test::KafkaCluster::kSession.count();
  AddKafka("a broker cut off past its session", 4, session + 2'000, session + 6'000, cut_off);
  // Its leaders go to the others in good order, and come back to it as the preferred one.
  AddKafka("leaders elected elsewhere and back", 3, 100, 300, [this]() -> Undo {
    const auto which = static_cast<std::size_t>(Draw(0, test::KafkaCluster::kBrokers - 1));
    return RestartBrokers(which, 1);
  });
  AddKafka("brokers restarted one after the other", 2, 100, 300,
           [this] { return RestartBrokers(0, test::KafkaCluster::kBrokers); });
  if (brokers.small_disk() != test::KafkaCluster::kBrokers) {
    AddKafka("a broker's disk full", 3, 4'000, 8'000, [&brokers]() -> Undo {
      brokers.FillDisk();
      return [&brokers] {
        test::KafkaBroker& broker = brokers.broker(brokers.small_disk());
        broker.Stop();
        brokers.FreeDisk();
        broker.Start();
        brokers.AwaitInSync(kUntilInSync);
      };
    });
  }
  if (!options_.is_long()) return;
  const std::int64_t outage = cluster_.intervals().long_outage.count();
  AddKafka("Kafka stopped still for long", 1, outage, outage, [this] { return PauseKafka(); });
}

Disturbances::Undo Disturbances::RestartBrokers(std::size_t first, std::size_t count) {
  test::KafkaCluster& brokers = *cluster_.brokers();
  for (std::size_t i = first; i < first + count; ++i) {
    brokers.broker(i).ShutDown();
    brokers.broker(i).Start();
    brokers.AwaitInSync(kUntilInSync);
  }
  return [] {};
}

Disturbances::Undo Disturbances::KillBroker() {
  Note("killed: the broker");
  killed_ = "the broker";
  ++counts_["a broker killed"];
  kafka_up_ = false;
  broker_killed_ = true;
  test::KafkaBroker& broker = options_.cluster ? AnyBroker() : cluster_.kafka();
  broker.Stop();
  return [this, &broker] {
    broker.Start();
    if (options_.cluster) cluster_.brokers()->AwaitInSync(kUntilInSync);
    kafka_up_ = true;
    broker_killed_ = false;
  };
}

}  // namespace tollbridge::pipeline
