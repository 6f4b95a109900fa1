#include "tests/support/scram_user.h"

#include <librdkafka/rdkafka.h>

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>

namespace tollbridge::test {
namespace {

constexpr int kAskLimitMs = 60'000;
constexpr int kIterations = 4096;

using Handle = std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)>;
using Queue = std::unique_ptr<rd_kafka_queue_t, decltype(&rd_kafka_queue_destroy)>;
using Event = std::unique_ptr<rd_kafka_event_t, decltype(&rd_kafka_event_destroy)>;
using Change = std::unique_ptr<rd_kafka_UserScramCredentialAlteration_t,
                               decltype(&rd_kafka_UserScramCredentialAlteration_destroy)>;

Handle Connect(const std::string& brokers) {
  std::array<char, 512> problem{};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), problem.data(), problem.size());
  rd_kafka_t* const handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, problem.data(), problem.size());
  if (handle == nullptr) throw std::runtime_error(problem.data());
  return {handle, &rd_kafka_destroy};
}

Change ChangeOf(const std::string& user, const std::optional<std::string>& password) {
  const auto mechanism = RD_KAFKA_SCRAM_MECHANISM_SHA_256;
  auto* const change = password.has_value()
                           ? rd_kafka_UserScramCredentialUpsertion_new(
                                 user.c_str(), mechanism, kIterations,
                                 reinterpret_cast<const unsigned char*>(password->data()),
                                 password->size(), nullptr, 0)
                           : rd_kafka_UserScramCredentialDeletion_new(user.c_str(), mechanism);
  return {change, &rd_kafka_UserScramCredentialAlteration_destroy};
}

/// What went wrong; nullptr when nothing did.
const char* ProblemOf(rd_kafka_event_t* event) {
  if (event == nullptr) return "no answer";
  if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return rd_kafka_event_error_string(event);
  }
  std::size_t count = 0;
  const auto* const* responses = rd_kafka_AlterUserScramCredentials_result_responses(
      rd_kafka_event_AlterUserScramCredentials_result(event), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_error_t* const error =
        rd_kafka_AlterUserScramCredentials_result_response_error(responses[i]);
    if (rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return rd_kafka_error_string(error);
    }
  }
  return nullptr;
}

}  // namespace

void SetScramUser(const std::string& brokers, const std::string& user,
                  const std::optional<std::string>& password) {
  const Handle handle = Connect(brokers);
  const Queue queue(rd_kafka_queue_new(handle.get()), &rd_kafka_queue_destroy);
  const Change change = ChangeOf(user, password);
  std::array<rd_kafka_UserScramCredentialAlteration_t*, 1> changes{change.get()};
  rd_kafka_AlterUserScramCredentials(handle.get(), changes.data(), changes.size(), nullptr,
                                     queue.get());
  const Event event(rd_kafka_queue_poll(queue.get(), kAskLimitMs), &rd_kafka_event_destroy);
  if (const char* const problem = ProblemOf(event.get()); problem != nullptr) {
    throw std::runtime_error("the user " + user + ": " + problem);
  }
}

}  // namespace tollbridge::test
