#include "tests/chaos/events_planted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tollbridge::pipeline {

using testing::AllOf;
using testing::Contains;
using testing::Field;

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.rule; }

Report ExpectFound(const Planted& planted) {
  EventsWorld world;
  planted.plant(world);
  Report report = Audit(world.history);
  EXPECT_THAT(report.findings, Contains(AllOf(Field(&Finding::kind, planted.rule),
                                              Field(&Finding::subject, planted.subject))))
      << Text(report, 0);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(LastLine(report), "lost=0 invented=0 misordered=0 unacked_hints=0 ledgers=equal");
  return report;
}

}  // namespace tollbridge::pipeline
