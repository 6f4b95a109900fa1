// The files of the Helm chart that are made from others, and what no Helm is needed to see. What
// Helm and a server of Kubernetes say of the chart is for ./dev chart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/dev_script.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class ChartFilesTest : public testing::Test {
 protected:
  /// A copy of what the files are made of, to plant mistakes in.
  ChartFilesTest() {
    const Finished copied =
        Bash("mkdir '" + folder_.PathOf("docs") + "' && cp docs/config.schema.json '" +
             folder_.PathOf("docs") + "' && cp -r deploy '" + folder_.PathOf("") + "'");
    EXPECT_EQ(copied.code, 0) << copied.error;
  }

  Finished Check() {
    return Bash("python3 deploy/helm/make_files.py --check --program '" +
                ProgramBeside("tollbridge") + "' --root '" + folder_.PathOf("deploy") + "'");
  }
  /// Runs a sed expression on a file of the copy, which it must change.
  void Change(const std::string& path, const std::string& expression) {
    const std::string file = folder_.PathOf(path);
    const Finished changed =
        Bash("cp '" + file + "' '" + file + ".before' && sed -i -E '" + expression + "' '" + file +
             "' && ! cmp -s '" + file + "' '" + file + ".before'");
    ASSERT_EQ(changed.code, 0) << "nothing changed in " << path << changed.error;
  }

  TempFolder folder_;
};

TEST_F(ChartFilesTest, AreMadeOfWhatTheyShow) {
  const Finished checked = Check();
  EXPECT_EQ(checked.code, 0) << checked.output << checked.error;
  EXPECT_THAT(checked.output, IsEmpty());
}

TEST_F(ChartFilesTest, ASettingThatChangedIsFoundInTheValuesSchema) {
  Change("docs/config.schema.json", "s/\"maximum\": 128/\"maximum\": 127/");
  const Finished checked = Check();
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.output,
              HasSubstr("deploy/helm/tollbridge/values.schema.json is not up to date"));
}

TEST_F(ChartFilesTest, AFileSettingThatIsGoneIsFound) {
  Change("docs/config.schema.json", "s/\"outcome_keys_file\"/\"result_keys_file\"/");
  EXPECT_THAT(Check().error, HasSubstr("outcome_keys_file"));
}

TEST_F(ChartFilesTest, ANewSettingThatNamesAFileIsFound) {
  Change("docs/config.schema.json", "s/\"log_level\"/\"log_file\"/");
  EXPECT_THAT(Check().error, HasSubstr("process.log_file names a file: is it a secret?"));
}

TEST_F(ChartFilesTest, AValueThatChangedIsFoundInTheReadme) {
  Change("deploy/helm/tollbridge/values.yaml",
         "s/^revisionHistoryLimit: 5/revisionHistoryLimit: 6/");
  EXPECT_THAT(Check().output, HasSubstr("deploy/helm/tollbridge/README.md is not up to date"));
}

TEST_F(ChartFilesTest, ANeedThatTheProgramDoesNotHaveIsFound) {
  Change("deploy/helm/tollbridge/files/needs.json", "0,/\"kafka\": false/s//\"kafka\": true/");
  EXPECT_THAT(Check().output,
              HasSubstr("deploy/helm/tollbridge/files/needs.json is not up to date"));
}

TEST_F(ChartFilesTest, WhatTheChartTakesFromElsewhereIsLinked) {
  const Finished links = Bash(
      "cd deploy/helm/tollbridge/files && cmp config.schema.json "
      "../../../../docs/config.schema.json && "
      "cmp rules/tollbridge.yaml ../../../observability/rules/tollbridge.yaml && "
      "diff -r dashboards/ ../../../observability/dashboards/ && "
      "test -L config.schema.json -a -L rules -a -L dashboards");
  EXPECT_EQ(links.code, 0) << links.output << links.error;
}

}  // namespace
}  // namespace tollbridge::test
