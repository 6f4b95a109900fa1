#include "tests/chaos/auditor/history_file.h"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "services/base/uuid.h"

namespace tollbridge::chaos {
namespace {

namespace json = boost::json;

std::string PathOf(const std::string& folder, std::string_view name) {
  return (std::filesystem::path(folder) / name).string();
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.gateway; }
{
  each("at", line.at);
  each("key", line.key);
  each("operation", line.operation);
  each("rpc", line.rpc);
  each("order", line.order);
  each("transaction", line.transaction);
  each("amount", line.amount);
  each("gateway", line.gateway);
  each("code", line.code);
  each("reason", line.reason);
  each("retry", line.retry);
  each("pending", line.pending);
  each("result", line.result);
  each("knowledge", line.knowledge);
  each("digest", line.digest);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.cause; }
{
  each("at", line.at);
  each("effect", line.effect);
  each("order", line.order);
  each("transaction", line.transaction);
  each("result", line.result);
  each("cause", line.cause);
  each("reference", line.reference);
  each("amount", line.amount);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.mark; }
{
  each("id", line.id);
  each("created", line.created);
  each("status", line.status);
  each("description", line.description);
  each("mark", line.mark);
  each("transaction", line.transaction);
  each("transaction_status", line.transaction_status);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.orphan; }
{
  each("operation", line.operation);
  each("rpc", line.rpc);
  each("number", line.number);
  each("attempt", line.attempt);
  each("from", line.from);
  each("to", line.to);
  each("at", line.at);
  each("evidence", line.evidence);
  each("order", line.order);
  each("review_reason", line.review_reason);
  each("review_of", line.review_of);
  each("orphan", line.orphan);
  each("digest", line.digest);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.sequence; }
{
  each("order", line.order);
  each("type", line.type);
  each("sequence", line.sequence);
  each("digest", line.digest);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.state; }
{
  each("operation", line.operation);
  each("rpc", line.rpc);
  each("state", line.state);
  each("review_reason", line.review_reason);
  each("review_of", line.review_of);
  each("order", line.order);
  each("evidence", line.evidence);
}

template <typename Each>
void Visit(auto& line, const Each& each)
  requires requires { line.what; }
{
  each("at", line.at);
  each("what", line.what);
}

struct Put {
  json::object* out;
  void operator()(std::string_view name, const std::string& text) const {
    if (!text.empty()) (*out)[name] = text;
  }
  void operator()(std::string_view name, std::int64_t number) const { (*out)[name] = number; }
  void operator()(std::string_view name, int number) const { (*out)[name] = number; }
};

struct Take {
  const json::object* in;
  void operator()(std::string_view name, std::string& text) const {
    if (const json::value* value = in->if_contains(name)) text = value->as_string();
  }
  void operator()(std::string_view name, std::int64_t& number) const {
    if (const json::value* value = in->if_contains(name)) number = value->to_number<std::int64_t>();
  }
  void operator()(std::string_view name, int& number) const {
    if (const json::value* value = in->if_contains(name)) number = value->to_number<int>();
  }
};

template <typename Line>
json::object Written(const Line& line) {
  json::object out;
  Visit(line, Put{&out});
  return out;
}

template <typename Line>
void ReadPart(const std::string& folder, std::string_view name, bool needed,
              std::vector<Line>* out) {
  std::ifstream in(PathOf(folder, name));
  if (!in) {
    if (!needed) return;
    throw std::runtime_error(PathOf(folder, name) + ": cannot be read");
  }
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    boost::system::error_code problem;
    const json::value value = json::parse(text, problem);
    if (problem || !value.is_object()) {
      throw std::runtime_error(PathOf(folder, name) + ":" + std::to_string(number) +
                               ": is no JSON object");
    }
    Line line;
    Visit(line, Take{&value.get_object()});
    out->push_back(std::move(line));
  }
}

}  // namespace

json::object ToJson(const Told& line) { return Written(line); }
json::object ToJson(const Effect& line) { return Written(line); }
json::object ToJson(const KnownOrder& line) { return Written(line); }
json::object ToJson(const OperationLine& line) { return Written(line); }
json::object ToJson(const EventLine& line) { return Written(line); }
json::object ToJson(const OpenLine& line) { return Written(line); }
json::object ToJson(const Disturbance& line) { return Written(line); }

History ReadHistory(const std::string& folder) {
  History history;
  ReadPart(folder, file::kTold, true, &history.told);
  ReadPart(folder, file::kLedger, true, &history.ledger);
  ReadPart(folder, file::kOrders, true, &history.orders);
  ReadPart(folder, file::kOperations, true, &history.operations);
  ReadPart(folder, file::kEvents, true, &history.events);
  ReadPart(folder, file::kOpen, false, &history.open);
  ReadPart(folder, file::kDisturbances, false, &history.disturbances);
  return history;
}

LineWriter::LineWriter(const std::string& folder, std::string_view name)
    : out_(PathOf(folder, name), std::ios::binary) {
  if (!out_) throw std::runtime_error(PathOf(folder, name) + ": cannot be written");
}

void LineWriter::Write(const json::object& line) {
  const std::string text = json::serialize(line) + "\n";
  const std::lock_guard lock(mutex_);
  out_ << text;
}

void LineWriter::Flush() {
  const std::lock_guard lock(mutex_);
  out_.flush();
}

std::string Digest(std::string_view bytes) { return Uuid::V5(Uuid{}, bytes).ToString(); }

TimeMs ParseTime(std::string_view text) {
  std::tm parts{};
  std::istringstream in{std::string(text)};
  in >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%S");
  if (in.fail()) throw std::runtime_error("no time: " + std::string(text));
  TimeMs millis = TimeMs{::timegm(&parts)} * 1'000;
  if (in.peek() == '.') {
    in.get();
    TimeMs unit = 100;
    for (; std::isdigit(in.peek()) != 0; unit /= 10) millis += unit * (in.get() - '0');
  }
  return millis;
}

TimeMs NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace tollbridge::chaos
