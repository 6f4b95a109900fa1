// What consumers know in the end does not depend on what happens to webhooks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_auditor/history_file.h"
#include "tests/chaos/events_driver/run.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::pipeline {
namespace {

using testing::IsEmpty;

/// Names that do not depend on ids: the merchant's, what was made of the order, and a number where
/// there are several.
std::map<std::string, std::string> NamesOf(const History& history) {
  std::vector<const OrderLine*> orders;
  for (const OrderLine& line : history.orders) orders.push_back(&line);
  std::ranges::sort(orders, {},
                    [](const OrderLine* line) { return std::pair(line->created, line->order); });
  std::map<std::string, int> count;
  std::map<std::string, std::string> names;
  for (const OrderLine* line : orders) {
    const std::string base =
        line->origin.empty() ? line->merchant_order_id : names[line->origin] + " " + line->relation;
    names[line->order] = base + " " + std::to_string(++count[base]);
  }
  return names;
}

using Outcomes = std::map<std::string, std::vector<std::string>>;

Outcomes Named(const History& history) {
  const std::map<std::string, std::string> names = NamesOf(history);
  Outcomes named;
  for (const auto& [root, outcomes] : LastOutcomes(history)) {
    for (const std::string& outcome : outcomes) {
      const std::size_t space = outcome.find(' ');
      named[names.at(root)].push_back(names.at(outcome.substr(0, space)) + outcome.substr(space));
    }
  }
  return named;
}

Outcomes OutcomesWith(Webhooks webhooks) {
  const test::TempFolder folder;
  const Options options{.orders = 60,
                        .seed = 11,
                        .readers = 2,
                        .webhooks = webhooks,
                        .disturbed = false,
                        .folder = folder.PathOf("run")};
  EventsRun run(options, [](const std::string&) {});
  const Report report = run.Go();
  EXPECT_THAT(report.findings, IsEmpty()) << Text(report, 0);
  return Named(ReadHistory(run.folder()));
}

TEST(SameOutcomesTest, WhetherWebhooksComeOnceTwentyTimesHalfOfThemOrNot) {
  const Outcomes once = OutcomesWith(Webhooks::kOnce);
  EXPECT_GT(once.size(), 50U);
  EXPECT_EQ(OutcomesWith(Webhooks::kRepeated), once);
  EXPECT_EQ(OutcomesWith(Webhooks::kHalf), once);
  EXPECT_EQ(OutcomesWith(Webhooks::kNone), once);
}

}  // namespace
}  // namespace tollbridge::pipeline
