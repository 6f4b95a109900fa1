#include "gateway/commands/dlq_command.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <compare>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/kafka/dead_letter_reader.h"
#include "adapters/system/system_clock.h"
#include "base/core/status_macros.h"
#include "gateway/commands/command_trail.h"
#include "gateway/commands/dlq_replay.h"
#include "gateway/commands/dlq_text.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/commands/time_option.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/secrets.h"
#include "gateway/wiring/own_topics.h"

namespace tollbridge::gateway {
namespace {

using kafka::DeadLetterReader;

constexpr std::chrono::seconds kTimeout{15};
constexpr int kLetterRefused = 1;
constexpr int kNotAsked = 2;

struct Options {
  std::string config;
  bool json = false;
};

struct ListOptions : Options {
  /// Only letters of this cause; empty: all.
  std::string cause;
  /// Only those whose last failure is not before: RFC 3339, or how long ago ("90m", "24h").
  std::string since;
  /// Letters shown at most.
  int limit = 100;
  /// Of those that are shown, and of which are shown when there are more; else the newest first.
  bool oldest_first = false;
};

struct ShowOptions : Options {
  /// PARTITION:OFFSET
  std::string letter;
};

/// One of `letters`, `all` and `cause` says which.
struct ReplayOptions : Options {
  std::vector<std::string> letters;
  bool all = false;
  std::string cause;
  /// Says what it would do, and writes nothing.
  bool dry_run = false;
};

int FailFor(const absl::Status& status) {
  return Fail(status, absl::IsNotFound(status) ? kLetterRefused : kNotAsked);
}

absl::StatusOr<std::unique_ptr<DeadLetterReader>> OpenLetters(const Config& config,
                                                              const Secrets& secrets) {
  TB_ASSIGN_OR_RETURN(const kafka::ClientSettings settings, KafkaSettings(config, secrets));
  return DeadLetterReader::Open(settings, config.kafka.dead_letter_topic, kTimeout);
}

PlacedLetter Placed(kafka::StoredLetter stored) {
  return {.place = {.partition = stored.place.partition, .offset = stored.place.offset},
          .letter = std::move(stored.letter)};
}

absl::StatusOr<PlacedLetter> ReadAt(DeadLetterReader& reader, const LetterPlace& place) {
  TB_ASSIGN_OR_RETURN(
      kafka::StoredLetter letter,
      reader.ReadAt({.partition = place.partition, .offset = place.offset}, kTimeout));
  return Placed(std::move(letter));
}

/// nullopt at the end.
absl::StatusOr<std::optional<PlacedLetter>> Next(DeadLetterReader& reader) {
  TB_ASSIGN_OR_RETURN(std::optional<kafka::StoredLetter> letter, reader.Next(kTimeout));
  if (!letter) return std::nullopt;
  return Placed(*std::move(letter));
}

absl::StatusOr<LetterPlace> PlaceOf(const std::string& text) {
  if (const auto place = ParsePlace(text)) return *place;
  return absl::InvalidArgumentError(
      absl::StrCat("a letter is named PARTITION:OFFSET, as dlq list shows it; not ", text));
}

/// The first letters by time, or the last; no more than `limit` are held at a time.
class Selection {
 public:
  Selection(std::size_t limit, bool oldest_first) : limit_(limit), oldest_first_(oldest_first) {}

  void Add(PlacedLetter letter) {
    ++count_;
    const auto key = std::tuple(letter.letter.last_failure, letter.place);
    kept_.emplace(key, std::move(letter));
    if (kept_.size() <= limit_) return;
    kept_.erase(oldest_first_ ? std::prev(kept_.end()) : kept_.begin());
  }

  /// All that were added, kept or not.
  std::size_t count() const { return count_; }

  std::vector<PlacedLetter> Take() && {
    std::vector<PlacedLetter> letters;
    for (auto& [key, letter] : kept_) letters.push_back(std::move(letter));
    if (!oldest_first_) std::reverse(letters.begin(), letters.end());
    return letters;
  }

 private:
  std::size_t limit_;
  bool oldest_first_;
  std::size_t count_ = 0;
  std::map<std::tuple<WallTime, LetterPlace>, PlacedLetter> kept_;
};

absl::StatusOr<Selection> Select(DeadLetterReader& reader, const ListOptions& options) {
  WallTime since{};
  if (!options.since.empty()) {
    TB_ASSIGN_OR_RETURN(since,
                        TimeOption("--since", options.since, system::SystemClock().WallNow()));
  }
  Selection selection(static_cast<std::size_t>(options.limit), options.oldest_first);
  while (true) {
    TB_ASSIGN_OR_RETURN(std::optional<PlacedLetter> letter, Next(reader));
    if (!letter) return selection;
    if (!options.cause.empty() && letter->letter.cause != options.cause) continue;
    if (letter->letter.last_failure < since) continue;
    selection.Add(*std::move(letter));
  }
}

/// Writes a hint and waits until the broker has acknowledged it. Both outlive what is returned.
DlqReplay::Write WriteTo(ports::HintLog& log, boost::asio::io_context& executor) {
  return [&](const events::v1::Hint& hint, const telemetry::TraceContext& trace) {
    const ports::Context context{.deadline = BootClock::now() + kTimeout, .trace = trace};
    return RunToEnd(executor, log.Append(hint, context));
  };
}

absl::Status ReplayAll(DeadLetterReader& reader, const std::string& cause, DlqReplay& replay) {
  const system::SystemClock clock;
  while (true) {
    TB_ASSIGN_OR_RETURN(const std::optional<PlacedLetter> letter, Next(reader));
    if (!letter) return absl::OkStatus();
    if (!cause.empty() && letter->letter.cause != cause) continue;
    TB_RETURN_IF_ERROR(replay.Take(*letter, clock.WallNow()));
  }
}

absl::Status ReplayThese(DeadLetterReader& reader, const std::vector<LetterPlace>& places,
                         DlqReplay& replay) {
  const system::SystemClock clock;
  for (const LetterPlace& place : places) {
    const absl::StatusOr<PlacedLetter> letter = ReadAt(reader, place);
    if (absl::IsNotFound(letter.status())) {
      replay.Refuse(place, "there is no such letter");
      continue;
    }
    TB_RETURN_IF_ERROR(letter.status());
    TB_RETURN_IF_ERROR(replay.Take(*letter, clock.WallNow()));
  }
  return absl::OkStatus();
}

void PrintJson(const std::vector<PlacedLetter>& letters, std::size_t count) {
  boost::json::array list;
  for (const PlacedLetter& letter : letters) list.push_back(LetterJson(letter));
  boost::json::object answer;
  answer["letters"] = std::move(list);
  answer["count"] = count;
  std::cout << boost::json::serialize(answer) << "\n";
}

int List(const Config& config, const Secrets& secrets, const ListOptions& options) {
  const auto reader = OpenLetters(config, secrets);
  if (!reader.ok()) return Fail(reader.status(), kNotAsked);
  absl::StatusOr<Selection> selection = Select(**reader, options);
  if (!selection.ok()) return Fail(selection.status(), kNotAsked);
  const std::size_t count = selection->count();
  const std::vector<PlacedLetter> letters = std::move(*selection).Take();
  if (options.json) {
    PrintJson(letters, count);
    return 0;
  }
  std::cout << LetterTable(letters);
  if (letters.size() < count) {
    std::cout << "these are " << letters.size() << " of " << count << ": --limit shows more\n";
  }
  return 0;
}

int Show(const Config& config, const Secrets& secrets, const ShowOptions& options) {
  const absl::StatusOr<LetterPlace> place = PlaceOf(options.letter);
  if (!place.ok()) return Fail(place.status(), kNotAsked);
  const auto reader = OpenLetters(config, secrets);
  if (!reader.ok()) return Fail(reader.status(), kNotAsked);
  const absl::StatusOr<PlacedLetter> letter = ReadAt(**reader, *place);
  if (!letter.ok()) return FailFor(letter.status());
  if (options.json) {
    std::cout << boost::json::serialize(LetterJson(*letter)) << "\n";
  } else {
    std::cout << LetterStory(*letter);
  }
  return 0;
}

/// What a replay is about to do, in words.
std::string WhatOf(const ReplayOptions& options) {
  if (options.all) return "hints of all dead letters are written again";
  if (!options.cause.empty()) {
    return absl::StrCat("hints of all dead letters of the cause ", options.cause,
                        " are written again");
  }
  return absl::StrCat("hints of the dead letters ", absl::StrJoin(options.letters, ", "),
                      " are written again");
}

/// Writes the hints of letters to the topic of hints again, each acknowledged before the next:
/// source OPERATOR, noticed now, order, project and member as they were. An order that several
/// letters are about is hinted at once. A hint only says where to look, so that a replay can be
/// repeated at will. What the reader would not understand either is refused by name.
int Replay(const Config& config, const Secrets& secrets, const ReplayOptions& options) {
  const int ways =
      (options.letters.empty() ? 0 : 1) + (options.all ? 1 : 0) + (options.cause.empty() ? 0 : 1);
  if (ways != 1) {
    return Fail(absl::InvalidArgumentError(
                    "dlq replay needs either letters, as PARTITION:OFFSET, or --all, or --cause"),
                kNotAsked);
  }
  std::vector<LetterPlace> places;
  for (const std::string& text : options.letters) {
    const absl::StatusOr<LetterPlace> place = PlaceOf(text);
    if (!place.ok()) return Fail(place.status(), kNotAsked);
    places.push_back(*place);
  }
  const auto reader = OpenLetters(config, secrets);
  if (!reader.ok()) return Fail(reader.status(), kNotAsked);
  boost::asio::io_context executor{1};
  std::unique_ptr<ports::HintLog> hints;
  DlqReplay::Write write;
  if (!options.dry_run) {
    auto opened = OpenHintTopic(config, secrets, executor.get_executor());
    if (!opened.ok()) return Fail(opened.status(), kNotAsked);
    const absl::Status told =
        TellFirst(config, secrets, {.name = "dlq replay", .projects = {}, .what = WhatOf(options)});
    if (!told.ok()) return Fail(told, kNotAsked);
    hints = *std::move(opened);
    write = WriteTo(*hints, executor);
  }

  const domain::Projects projects = MakeProjects(config, secrets, "");
  DlqReplay replay(projects, write);
  const absl::Status done = places.empty() ? ReplayAll(**reader, options.cause, replay)
                                           : ReplayThese(**reader, places, replay);
  std::cout << (options.json ? replay.Json() : replay.Text());
  if (!done.ok()) return Fail(done, kNotAsked);
  return replay.refused() == 0 ? 0 : kLetterRefused;
}

/// What the chosen command does: `run`, with the configuration.
template <typename T>
Action Running(std::shared_ptr<const T> options,
               int (*run)(const Config&, const Secrets&, const T&)) {
  return [options, run] {
    return WithSecrets(options->config, {.kafka = true},
                       [&](const Config& config, const Secrets& secrets) {
                         return run(config, secrets, *options);
                       });
  };
}

CLI::Option* AddCauseOption(CLI::App* command, std::string* cause, const std::string& help) {
  return command->add_option("--cause", *cause, help)
      ->check(CLI::IsMember({"unparsable", "unreadable_answer", "unknown_project"}));
}

void AddList(CLI::App* dlq, Action* action) {
  CLI::App* list = dlq->add_subcommand("list", "a line for each; the newest first");
  const auto options = std::make_shared<ListOptions>();
  AddConfigOption(list, &options->config);
  AddCauseOption(list, &options->cause, "only those of this cause");
  list->add_option("--since", options->since,
                   "only those that failed since: 2026-01-31T12:00:00Z, or how long ago: 90m");
  list->add_option("--limit", options->limit, "show so many at most")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  list->add_flag("--oldest-first", options->oldest_first, "begin with the oldest");
  AddJsonOption(list, &options->json);
  list->callback([options, action] { *action = Running<ListOptions>(options, List); });
}

void AddShow(CLI::App* dlq, Action* action) {
  CLI::App* show = dlq->add_subcommand("show", "all of one, without card numbers");
  const auto options = std::make_shared<ShowOptions>();
  AddConfigOption(show, &options->config);
  show->add_option("letter", options->letter, "PARTITION:OFFSET, as list shows it")->required();
  AddJsonOption(show, &options->json);
  show->callback([options, action] { *action = Running<ShowOptions>(options, Show); });
}

void AddReplay(CLI::App* dlq, Action* action) {
  CLI::App* replay = dlq->add_subcommand(
      "replay", "write their hints again, so that the orders are read; deletes nothing");
  const auto options = std::make_shared<ReplayOptions>();
  AddConfigOption(replay, &options->config);
  auto* letters =
      replay->add_option("letter", options->letters, "PARTITION:OFFSET, as list shows it");
  auto* all = replay->add_flag("--all", options->all, "all of them")->excludes(letters);
  AddCauseOption(replay, &options->cause, "all of this cause")->excludes(letters)->excludes(all);
  replay->add_flag("--dry-run", options->dry_run, "say what would be written, write nothing");
  AddJsonOption(replay, &options->json);
  replay->callback([options, action] {
    if (options->letters.empty() && !options->all && options->cause.empty()) {
      throw CLI::RequiredError("letter, --all or --cause");
    }
    *action = Running<ReplayOptions>(options, Replay);
  });
}

}  // namespace

void AddDlq(CLI::App& app, Action* action) {
  CLI::App* dlq =
      app.add_subcommand("dlq", "dead letters: hints that nobody could use, with their cause");
  dlq->require_subcommand(1);
  AddList(dlq, action);
  AddShow(dlq, action);
  AddReplay(dlq, action);
}

}  // namespace tollbridge::gateway
