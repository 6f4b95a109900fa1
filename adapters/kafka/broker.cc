#include "adapters/kafka/broker.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/this_coro.hpp>
#include <optional>
#include <utility>

#include "adapters/kafka/completions.h"
#include "base/core/status_macros.h"

namespace tollbridge::kafka {

absl::Status StatusOfAnswer(rd_kafka_resp_err_t error, const char* text) {
  const std::string message =
      absl::StrCat("kafka: ", text != nullptr ? text : rd_kafka_err2str(error));
  switch (error) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      return absl::OkStatus();
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
      return absl::UnavailableError(message);
    case RD_KAFKA_RESP_ERR__NOENT:
      return absl::NotFoundError(message);
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return absl::PermissionDeniedError(message);
    default:
      return absl::InternalError(message);
  }
}

absl::Status AskBroker(const Client& client, const std::vector<std::string>& topics,
                       std::chrono::milliseconds limit) {
  // Metadata can be asked of any broker, but only by a blocking call; the admin API asks the
  // controller, which librdkafka's mock cluster does not have.
  const auto ask = [&](rd_kafka_topic_t* topic) {
    const struct rd_kafka_metadata* metadata = nullptr;
    const rd_kafka_resp_err_t error =
        rd_kafka_metadata(client.get(), 0, topic, &metadata, static_cast<int>(limit.count()));
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
    return StatusOfAnswer(error, nullptr);
  };
  if (topics.empty()) return ask(nullptr);
  for (const std::string& name : topics) {
    rd_kafka_topic_t* const topic = rd_kafka_topic_new(client.get(), name.c_str(), nullptr);
    const absl::Status answered = ask(topic);
    rd_kafka_topic_destroy(topic);
    TB_RETURN_IF_ERROR(answered);
  }
  return absl::OkStatus();
}

AsyncStatus AwaitBroker(std::shared_ptr<Client> client, std::vector<std::string> topics,
                        BootTime deadline) {
  const boost::asio::any_io_executor shard = co_await boost::asio::this_coro::executor;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - BootClock::now());
  if (left.count() <= 0) co_return absl::UnavailableError("kafka: no time left to ask");
  const auto answers = std::make_shared<Completions<absl::Status>>();
  const auto ticket = answers->Add(shard);
  RunOnHelperThread(
      [client = std::move(client), topics = std::move(topics), left, answers,
       number = ticket.number] { answers->Complete(number, AskBroker(*client, topics, left)); });
  std::optional<absl::Status> answer =
      co_await Completions<absl::Status>::Wait(answers, ticket, deadline);
  if (answer.has_value()) co_return *std::move(answer);
  co_return absl::UnavailableError("kafka: no answer by the deadline");
}

}  // namespace tollbridge::kafka
