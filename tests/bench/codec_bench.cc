#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/payment_service/client.h"
#include "adapters/payment_service/json_pieces.h"
#include "services/domain/deterministic.h"
#include "services/domain/order_view.h"
#include "services/search/search_orders.h"
#include "tests/bench/child_process.h"
#include "tests/bench/connection.h"
#include "tests/bench/measures.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/search/v1/search.pb.h"

// ./dev bench codec [PAGE [ROUNDS]]: the way from the body of an HTTP answer to the bytes of the
// gRPC answer, alone: SearchOrders with a page of 100 orders, and GetOrder with one of them. What a
// call costs besides is not in it. PAGE is a file with a page that the payment service gave;
// without it the sandbox gives one.

namespace tollbridge::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kSearch =
    R"({"query":"*","size":100,"sort":"id asc","search_after":"-1"})";

std::string PageFromSandbox(const std::filesystem::path& programs) {
  const ChildProcess sandbox(
      {programs / "tollbridge-sandbox", "--listen", "127.0.0.1:0", "--orders", "1000"}, -1);
  Connection connection(sandbox.port());
  connection.Write(MakeRequest("POST", "/v1/search/orders/", kSearch));
  const std::string header = connection.ReadHeader();
  if (!header.starts_with("HTTP/1.1 200 ")) throw std::runtime_error("no page: " + header);
  std::string page;
  connection.ReadBody(header, [&](std::string_view piece) { page += piece; });
  return page;
}

std::string PageFromFile(const char* name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The payment service without a wire: the same body to each exchange.
class FixedBody : public payment_service::Transport {
 public:
  explicit FixedBody(std::string body) : body_(std::move(body)) {}
  boost::asio::awaitable<payment_service::ExchangeResult> Send(payment_service::Exchange) override {
    payment_service::ExchangeResult result;
    result.fate = http::Fate::kAnswered;
    result.response.status = 200;
    result.response.body = body_;
    co_return result;
  }

 private:
  std::string body_;
};

payment_service::Client ClientOf(std::string body) {
  std::vector<std::unique_ptr<payment_service::Transport>> links;
  links.push_back(std::make_unique<FixedBody>(std::move(body)));
  return {payment_service::TransportChain(std::move(links)),
          [](const domain::Project&) { return "key"; }, payment_service::WalletNames()};
}

/// Runs what waits for nothing but itself; throws when it fails.
template <typename T>
T Run(Async<T> coroutine) {
  boost::asio::io_context context{1};
  std::optional<absl::StatusOr<T>> result;
  boost::asio::co_spawn(context, std::move(coroutine),
                        [&](const std::exception_ptr& error, absl::StatusOr<T> value) {
                          if (error) std::rethrow_exception(error);
                          result = std::move(value);
                        });
  context.run();
  if (!result || !result->ok()) throw std::runtime_error("not answered");
  return *std::move(*result);
}

const domain::Project& Shop() {
  static const domain::Project& project = *new domain::Project{.name = "shop"};
  return project;
}

std::string SearchOrders(payment_service::Client& client) {
  return Run(search::SearchOrders(client, Shop(), search::v1::SearchOrdersRequest(),
                                  {.deadline = BootTime::max()}))
      .bytes;
}

std::string GetOrder(payment_service::Client& client, std::string_view id) {
  payments::v1::GetOrderResponse response;
  *response.mutable_order() =
      domain::ForCaller(Run(client.GetOrder(Shop(), id, {.deadline = BootTime::max()})));
  return domain::SerializeDeterministically(response);
}

/// Microseconds of the quickest of the rounds, which is the one that was disturbed least.
double Quickest(int rounds, const std::function<std::string()>& call) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < rounds; ++i) {
    const Clock::time_point begin = Clock::now();
    call();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  return best;
}

std::string_view FirstCompleted(std::string_view page) {
  const auto list = payment_service::MemberOf(page, "orders");
  const auto orders = list ? payment_service::ElementsOf(*list) : std::nullopt;
  if (!orders) throw std::runtime_error("not a page of orders");
  for (const std::string_view order : *orders) {
    if (payment_service::MemberOf(order, "status") == R"("completed")") return order;
  }
  throw std::runtime_error("no order of the page is completed");
}

void Report(std::string_view name, std::size_t json, std::size_t answer, double us) {
  std::cout << std::left << std::setw(14) << name << std::right << std::setw(9) << json
            << " bytes of JSON" << std::setw(8) << answer << " of answer" << std::fixed
            << std::setprecision(1) << std::setw(9) << us << " us" << std::setw(8)
            << static_cast<double>(json) / us << " MB/s\n";
}

void Main(const std::filesystem::path& program, std::string_view rounds_text, const char* file) {
  int rounds = 0;
  std::from_chars(rounds_text.data(), rounds_text.data() + rounds_text.size(), rounds);
  const std::string page =
      file != nullptr ? PageFromFile(file) : PageFromSandbox(program.parent_path());
  const std::string order(FirstCompleted(page));
  const std::string_view id =
      payment_service::PlainText(payment_service::MemberOf(order, "id").value_or("")).value_or("");
  payment_service::Client of_page = ClientOf(page);
  payment_service::Client of_order = ClientOf(order);
  const std::string page_answer = SearchOrders(of_page);
  const std::string order_answer = GetOrder(of_order, id);
  if (file != nullptr) std::cout << std::hash<std::string>()(page_answer) << "\n";
  Report("SearchOrders", page.size(), page_answer.size(),
         Quickest(rounds, [&] { return SearchOrders(of_page); }));
  Report("GetOrder", order.size(), order_answer.size(),
         Quickest(20 * rounds, [&] { return GetOrder(of_order, id); }));
}

}  // namespace
}  // namespace tollbridge::bench

int main(int argc, char** argv) {
  try {
    tollbridge::bench::Main(std::filesystem::canonical(argv[0]), argc > 2 ? argv[2] : "500",
                            argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception& error) {
    std::cerr << "codec_bench: " << error.what() << "\n";
    return 1;
  }
}
