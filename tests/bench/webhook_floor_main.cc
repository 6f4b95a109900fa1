#include <librdkafka/rdkafka.h>
#include <sys/eventfd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

// The yardstick of the webhook ingress, for ./dev bench events: a POST becomes a record in Kafka,
// keyed by the order that stands in it, acks=all, and 200 is what the delivery report is answered
// with. One thread, one io_context, plain callbacks, librdkafka's defaults beside acks. It knows no
// token, no limit, no deadline and no JSON: nobody can do less.

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::string_view kBeforeOrder = R"("order_id":")";
constexpr std::size_t kOrderSize = 36;

/// The topic, and its delivery reports on the io_context.
class Topic {
 public:
  Topic(asio::io_context& context, const char* brokers, const char* name, const char* linger_ms)
      : reports_(context, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    rd_kafka_conf_t* const conf = rd_kafka_conf_new();
    Set(conf, "bootstrap.servers", brokers);
    Set(conf, "acks", "all");
    Set(conf, "linger.ms", linger_ms);
    Set(conf, "partitioner", "murmur2_random");
    Set(conf, "socket.nagle.disable", "true");
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR);
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
    topic_ = rd_kafka_topic_new(handle_, name, nullptr);
    queue_ = rd_kafka_queue_get_main(handle_);
    const std::uint64_t one = 1;
    rd_kafka_queue_io_event_enable(queue_, reports_.native_handle(), &one, sizeof(one));
    Await();
  }

  /// `to` is told by Delivered(), unless this answers false.
  template <typename Session>
  bool Produce(std::string_view key, std::string_view value, Session* to) {
    delivered_ = [](void* session, bool ok) { static_cast<Session*>(session)->Delivered(ok); };
    return rd_kafka_produce(topic_, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY,
                            const_cast<char*>(value.data()), value.size(), key.data(), key.size(),
                            to) == 0;
  }

 private:
  static void Set(rd_kafka_conf_t* conf, const char* name, const char* value) {
    std::array<char, 256> error{};
    if (rd_kafka_conf_set(conf, name, value, error.data(), error.size()) != RD_KAFKA_CONF_OK) {
      std::cerr << "webhook_floor: " << error.data() << "\n";
      std::exit(1);
    }
  }

  void Await() {
    reports_.async_read_some(asio::buffer(&woken_, sizeof(woken_)),
                             [this](const boost::system::error_code& error, std::size_t) {
                               if (error) return;
                               Report();
                               Await();
                             });
  }

  void Report() {
    while (rd_kafka_event_t* const event = rd_kafka_queue_poll(queue_, 0)) {
      while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) {
        delivered_(message->_private, message->err == RD_KAFKA_RESP_ERR_NO_ERROR);
      }
      rd_kafka_event_destroy(event);
    }
  }

  asio::posix::stream_descriptor reports_;
  rd_kafka_t* handle_ = nullptr;
  rd_kafka_topic_t* topic_ = nullptr;
  rd_kafka_queue_t* queue_ = nullptr;
  void (*delivered_)(void*, bool) = nullptr;
  std::uint64_t woken_ = 0;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Topic& topic) : socket_(std::move(socket)), topic_(topic) {}

  void Read() {
    request_ = {};
    http::async_read(
        socket_, buffer_, request_,
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
          if (!error) self->Take();
        });
  }

  void Delivered(bool ok) {
    const std::shared_ptr<Session> self = std::move(waiting_);
    response_ = {ok ? http::status::ok : http::status::service_unavailable, 11};
    response_.body() = "OK\n";
    response_.prepare_payload();
    http::async_write(socket_, response_,
                      [self](const boost::system::error_code& error, std::size_t) {
                        if (!error) self->Read();
                      });
  }

 private:
  void Take() {
    const std::string_view body(request_.body());
    const std::size_t at = body.find(kBeforeOrder);
    waiting_ = shared_from_this();
    if (at == std::string_view::npos ||
        !topic_.Produce(body.substr(at + kBeforeOrder.size(), kOrderSize), body, this)) {
      Delivered(false);
    }
  }

  tcp::socket socket_;
  Topic& topic_;
  boost::beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
  std::shared_ptr<Session> waiting_;
};

void Accept(tcp::acceptor& acceptor, Topic& topic) {
  acceptor.async_accept([&](const boost::system::error_code& error, tcp::socket socket) {
    if (error) return;
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    std::make_shared<Session>(std::move(socket), topic)->Read();
    Accept(acceptor, topic);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: webhook_floor BROKERS TOPIC LINGER_MS    puts each POST on the topic, on "
                 "a free loopback port\n";
    return 2;
  }
  asio::io_context context(1);
  Topic topic(context, argv[1], argv[2], argv[3]);
  tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::cout << R"({"base_url":"http://127.0.0.1:)" << acceptor.local_endpoint().port() << "\"}"
            << std::endl;
  Accept(acceptor, topic);
  context.run();
  return 0;
}
