#ifndef TOLLBRIDGE_TESTS_SUPPORT_MOCK_KAFKA_H_
#define TOLLBRIDGE_TESTS_SUPPORT_MOCK_KAFKA_H_

#include <cstddef>
#include <cstdint>
#include <string>

struct rd_kafka_s;
struct rd_kafka_mock_cluster_s;

namespace tollbridge::test {

/// librdkafka's mock cluster of one broker, in this process: started in no time, speaks the real
/// protocol, keeps everything in memory. What Kafka promises is tested on the real broker
/// (kafka_broker.h). Throws std::runtime_error when it cannot be started.
class MockKafka {
 public:
  MockKafka();
  ~MockKafka();
  MockKafka(const MockKafka&) = delete;
  MockKafka& operator=(const MockKafka&) = delete;

  std::string bootstrap_servers() const;
  void CreateTopic(const std::string& name, int partitions);
  /// Connections are reset and new ones refused.
  void SetUp(bool up);
  /// The next request to write records is answered as by a broker that does not lead the partition
  /// yet, and writes nothing.
  void RefuseNextProduce();
  /// The next one is answered as to somebody who may not write there, and writes nothing.
  void ForbidNextProduce();
  /// The next answer about what a group has committed takes so long.
  void DelayNextOffsets(int millis);
  /// Since then, and since ForgetRequests, somebody has asked.
  bool OffsetsAreAskedFor() const { return CountRequests(kOffsetFetch) > 0; }
  /// The next commit of offsets is answered with an error of the broker's.
  void RefuseNextCommit();
  /// Since then.
  std::size_t CountCommits() const { return CountRequests(kOffsetCommit); }
  void ForgetRequests();
  /// The next heartbeat of a group's member is answered as to one whose name another has.
  void FenceNextHeartbeat();
  /// Time that every answer takes.
  void SetRoundTripMillis(int millis);

 private:
  // The protocol's keys of requests.
  static constexpr std::int16_t kOffsetCommit = 8;
  static constexpr std::int16_t kOffsetFetch = 9;

  std::size_t CountRequests(std::int16_t key) const;

  rd_kafka_s* handle_ = nullptr;
  rd_kafka_mock_cluster_s* cluster_ = nullptr;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_MOCK_KAFKA_H_
