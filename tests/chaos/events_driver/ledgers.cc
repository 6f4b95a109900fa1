#include "tests/chaos/events_driver/ledgers.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <utility>

#include "tests/chaos/events_auditor/history_file.h"

namespace tollbridge::pipeline {
namespace {

namespace json = boost::json;

constexpr std::chrono::minutes kToTheEnd{5};
constexpr int kMostTries = 5;
/// How a process ends whose program could not be started.
constexpr int kNoSuchProgram = 127;

void Read(const json::object& report, const std::string& book, History* history) {
  std::set<std::string> review;
  for (const json::value& order : report.at("review").as_array()) {
    review.emplace(order.as_string());
  }
  for (const auto& [order, entry] : report.at("orders").as_object()) {
    history->bookings.push_back({.book = book,
                                 .order = std::string(order),
                                 .outcome = chaos::TextOf(entry.as_object(), "outcome"),
                                 .booked = entry.at("booked").to_number<std::int64_t>(),
                                 .review = review.contains(std::string(order)) ? 1 : 0});
  }
  history->book_notes.push_back({.book = book, .note = "kept"});
  for (const auto& [currency, amount] : report.at("balances").as_object()) {
    history->book_notes.push_back({.book = book,
                                   .note = "balance",
                                   .subject = std::string(currency),
                                   .amount = amount.to_number<std::int64_t>()});
  }
  for (const auto& [list, note] : {std::pair("gaps", "gap"), std::pair("alarms", "alarm")}) {
    for (const json::value& root : report.at(list).as_array()) {
      history->book_notes.push_back(
          {.book = book, .note = note, .subject = std::string(root.as_string())});
    }
  }
}

}  // namespace

Ledgers::Ledgers(Cluster* cluster, const std::string& folder)
    : cluster_(*cluster), folder_(folder) {
  for (test::LedgerProgram& program : test::LedgerPrograms()) {
    ledgers_.push_back({.program = std::move(program), .process = nullptr});
  }
  if (ledgers_.empty()) {
    throw std::runtime_error(
        "there is no consumer: TOLLBRIDGE_PYTHON and TOLLBRIDGE_GO_LEDGER name none");
  }
  for (Ledger& ledger : ledgers_) {
    ledger.process = std::make_unique<test::Process>(Command(ledger, ""));
  }
}

std::vector<std::string> Ledgers::Books() const {
  std::vector<std::string> books;
  for (const Ledger& ledger : ledgers_) books.push_back(ledger.program.language);
  return books;
}

std::vector<std::string> Ledgers::Command(const Ledger& ledger, const std::string& option) const {
  const std::string& language = ledger.program.language;
  std::vector<std::string> command = ledger.program.command;
  command.insert(command.end(), {"--brokers", cluster_.stack().brokers(), "--topic",
                                 cluster_.stack().TopicName("events"), "--group",
                                 cluster_.stack().TopicName("ledger-" + language), "--database",
                                 (std::filesystem::path(folder_) / ("ledger-" + language)).string(),
                                 "--instance", "ledger-1", "--test-orders"});
  if (!option.empty()) command.push_back(option);
  return command;
}

void Ledgers::Step(bool kafka_is_there) {
  if (!kafka_is_there) return;
  for (Ledger& ledger : ledgers_) {
    const auto exit = ledger.process->WaitForExit(std::chrono::milliseconds(0));
    if (!exit) continue;
    if (exit->code == kNoSuchProgram) {
      throw std::runtime_error("there is no program " + ledger.program.command.front());
    }
    std::ofstream(std::filesystem::path(folder_) / ("ledger-" + ledger.program.language + ".log"),
                  std::ios::binary | std::ios::app)
        << ledger.process->standard_error();
    ledger.process = std::make_unique<test::Process>(Command(ledger, ""));
    ++restarts_;
  }
}

void Ledgers::Kill(const std::string& book) {
  for (Ledger& ledger : ledgers_) {
    if (ledger.program.language == book) ledger.process->Kill();
  }
}

void Ledgers::Collect() {
  History history;
  for (Ledger& ledger : ledgers_) {
    ledger.process->Kill();
    test::Finished finished;
    // It may be told to come back, by brokers that have just come back themselves.
    for (int tries = 0; tries < kMostTries; ++tries) {
      finished = test::Run(Command(ledger, "--until-end"), {}, kToTheEnd);
      if (finished.code == 0) break;
    }
    if (finished.code != 0) {
      throw std::runtime_error(ledger.program.language + " ledger: " + finished.error);
    }
    finished = test::Run(Command(ledger, "--report"), {}, kToTheEnd);
    if (finished.code != 0) {
      throw std::runtime_error(ledger.program.language + " ledger: " + finished.error);
    }
    Read(json::parse(finished.output).as_object(), ledger.program.language, &history);
  }
  chaos::WriteAll(folder_, file::kBookings, history.bookings);
  chaos::WriteAll(folder_, file::kBookNotes, history.book_notes);
}

}  // namespace tollbridge::pipeline
