#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/architecture/settings_check.h"

/// Second defaults of settings, planted: the check must find them, and nothing beside them.
namespace tollbridge::architecture {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

auto Breaks(const std::string& rule) { return Field("rule", &Violation::rule, HasSubstr(rule)); }
auto Of(const std::string& subject) { return Field("subject", &Violation::subject, subject); }

std::string Redis(const std::string& text) {
  return "namespace tollbridge::redis {\n" + text + "}\n";
}
std::string Gateway(const std::string& text) {
  return "namespace tollbridge::gateway {\n" + text + "}\n";
}

/// A room with a setting, and the configuration that has it; beside them what is planted.
std::vector<SourceFile> With(std::vector<SourceFile> planted) {
  planted.push_back({"adapters/redis/settings.h", Redis("struct Settings {\n"
                                                        "  /// Waits \"{ so long\".\n"
                                                        "  Millis patience{200};\n"
                                                        "};\n")});
  planted.push_back(
      {"adapters/redis/settings.cc",
       Redis(
           "void Describe(config::Section& section, Settings* settings) {\n"
           "  section.Duration(\n      \"patience\", &settings->patience, a, b, \"So long; { \");\n"
           "}\n")});
  planted.push_back(
      {"gateway/config/config.h",
       Gateway("struct Config {\n  redis::Settings redis;\n  int shards = 2;\n};\n")});
  return planted;
}

/// What the gateway does with the configuration, and what the room takes.
Violations WithCopy(const std::string& room, const std::string& copy) {
  return CheckSettings(With({{"adapters/redis/session.h", Redis(room)},
                             {"gateway/wiring/shard.cc",
                              Gateway("void Make(const Config& config) {\n" + copy + "}\n")}}));
}

TEST(PlantedSetting, BoundInItsRoomIsFine) { EXPECT_THAT(CheckSettings(With({})), IsEmpty()); }

TEST(PlantedSetting, BoundInAnotherRoomIsFound) {
  const std::string bound =
      "void Describe(Section& section, redis::Settings* redis) {\n"
      "  section.Number(\"wait\", &redis->patience, 1, 2, \"So long\");\n}\n";
  EXPECT_THAT(CheckSettings(With({{"gateway/config/config.cc", Gateway(bound)}})),
              ElementsAre(AllOf(Breaks("another room than that of its struct, adapters/redis"),
                                Of("wait"), Field(&Violation::line, 3))));
  EXPECT_THAT(CheckSettings(With({{"gateway/config/config.cc",
                                   Gateway("void Describe(Section& root, Config* config) {\n"
                                           "  root.Sub(\"redis\", \"Redis\")\n"
                                           "      .Number(\"wait\", &config->redis.patience, 1, 2, "
                                           "\"So long\");\n}\n")}})),
              ElementsAre(Breaks("another room")));
}

TEST(PlantedSetting, OfALeafMayBeBoundByWhoHasIt) {
  EXPECT_THAT(
      CheckSettings(
          {{"base/http/client.h",
            "namespace tollbridge::http {\nstruct Options {\n  int most = 64;\n};\n}\n"},
           {"adapters/redis/settings.h", Redis("struct Settings {\n  http::Options client;\n};\n")},
           {"adapters/redis/settings.cc",
            Redis("void Describe(config::Section& section, Settings* settings) {\n"
                  "  section.Number(\"most\", &settings->client.most, 1, 2, \"\");\n"
                  "}\n")}}),
      IsEmpty());
}

TEST(PlantedSetting, BoundToNoMemberOfAStructIsFound) {
  const std::string bound =
      "void Describe(Section& section, Config* config) {\n"
      "  section.Number(\"most\", &config->nothing, 1, 2, \"\");\n}\n";
  EXPECT_THAT(CheckSettings(With({{"gateway/config/config.cc", Gateway(bound)}})),
              ElementsAre(Breaks("no member of a struct")));
}

TEST(PlantedSetting, CopiedOverAnotherDefaultIsFound) {
  const std::string room = "struct Options {\n  int other = 1;\n  Millis wait{500};\n};\n";
  const std::string copies[] = {
      "  redis::Options options;\n  options.wait = config.redis.patience;\n",
      "  redis::Options options{.other = 2, .wait = config.redis.patience};\n",
      "  Connect({.other = F(1, 2),\n           .wait = "
      "static_cast<int>(config.redis.patience)});\n",
      "  options_.wait = config.redis.patience;\n",
      "  redis::Options options{.wait = std::max(config.redis.patience, Millis(1))};\n",
  };
  for (const std::string& copy : copies) {
    EXPECT_THAT(WithCopy(room, copy),
                ElementsAre(AllOf(Breaks("config.redis.patience"), Of("wait"),
                                  Field(&Violation::path, "gateway/wiring/shard.cc"))))
        << copy;
  }
}

TEST(PlantedSetting, CopiedFromAMemberOfAClassIsFound) {
  EXPECT_THAT(CheckSettings(With(
                  {{"adapters/redis/session.h",
                    Redis("struct Options {\n  Millis wait{500};\n};\n"
                          "class Session {\n public:\n  void Run();\n private:\n"
                          "  Settings settings_;\n};\n")},
                   {"adapters/redis/session.cc",
                    Redis("void Session::Run() {\n  Use({.wait = settings_.patience});\n}\n")}})),
              ElementsAre(AllOf(Breaks("settings_.patience"), Of("wait"))));
}

TEST(PlantedSetting, ThatIsNotCopiedOverADefaultIsFine) {
  const std::string room =
      "struct Options {\n  int other = 1;\n  Millis wait{};\n  Millis bound{500};\n};\n";
  const std::string fine[] = {
      "  redis::Options options{.wait = config.redis.patience};\n",
      "  redis::Options options{.other = 7};\n  Use(config.redis.patience);\n",
      "  redis::Options options;\n  options.bound = std::min(options.bound, "
      "config.redis.patience);\n",
      "  redis::Options options{.other = config.redis.patience == Millis(1)};\n",
      "  // options.bound = config.redis.patience\n",
      "  redis::Settings copy;\n  copy.patience = config.redis.patience;\n",
      "  redis::Options options{.other = order.patience};\n",
  };
  for (const std::string& copy : fine) EXPECT_THAT(WithCopy(room, copy), IsEmpty()) << copy;
}

}  // namespace
}  // namespace tollbridge::architecture
