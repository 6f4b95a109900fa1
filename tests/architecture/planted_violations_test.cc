#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/architecture/house_rules_check.h"
#include "tests/architecture/include_check.h"
#include "tests/architecture/link_graph_check.h"
#include "tests/architecture/reference_check.h"
#include "tests/architecture/source_tree.h"

/// Each rule, broken on purpose: the checks must find it, and nothing beside it.
namespace tollbridge::architecture {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

Violations CheckOne(std::string path, std::string content) {
  return CheckIncludes({{std::move(path), std::move(content)}});
}

std::string Include(const std::string& path) { return "#include \"" + path + "\"\n"; }
std::string System(const std::string& path) { return "#include <" + path + ">\n"; }

auto Breaks(const std::string& rule) { return Field("rule", &Violation::rule, HasSubstr(rule)); }

TEST(PlantedInclude, IsNamedByFileLineIncludeAndRule) {
  const Violations found =
      CheckOne("services/domain/kind.cc", "// a comment\n\n" + Include("services/ports/clock.h"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "services/domain/kind.cc");
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(found[0].subject, "services/ports/clock.h");
  EXPECT_EQ(found[0].rule, "services/domain may not use services/ports");
}

TEST(PlantedInclude, AgainstTheArrowsIsFound) {
  const struct {
    std::string file;
    std::string include;
  } planted[] = {
      {"base/core/uuid.cc", "base/telemetry/log.h"},
      {"base/telemetry/log.cc", "services/domain/kind.h"},
      {"base/http/client.cc", "services/domain/kind.h"},
      {"services/domain/kind.h", "base/http/url.h"},
      {"services/ports/clock.h", "services/operations/engine.h"},
      {"services/rpc/call.h", "services/operations/engine.h"},
      {"services/operations/engine.cc", "services/payments/create_order.h"},
      {"services/payments/get_order.cc", "services/rpc/call.h"},
      {"services/webhooks/ingress.cc", "services/events/reader.h"},
      {"services/events/reader.cc", "services/operations/engine.h"},
      {"services/reconcile/due_poller.cc", "services/rpc/call.h"},
      {"services/payments/get_order.cc", "gateway/config/config.h"},
      {"services/payments/get_order.cc", "adapters/redis/session.h"},
      {"adapters/redis/session.cc", "services/operations/engine.h"},
      {"adapters/redis/session.cc", "adapters/kafka/producer.h"},
      {"adapters/system/clock.cc", "adapters/redis/session.h"},
      {"adapters/kafka/producer.cc", "gateway/config/config.h"},
      {"gateway/wiring/gateway.cc", "sandbox/app.h"},
      {"services/payments/get_order.cc", "services/vault/plans.h"},
      {"gateway/config/config.cc", "gateway/wiring/gateway.h"},
      {"gateway/wiring/gateway.cc", "gateway/commands/serve_command.h"},
      {"base/net/tls.cc", "base/http/url.h"},
      {"base/core/uuid.cc", "base/net/tls.h"},
      {"services/ports/clock.h", "base/net/tls.h"},
      {"sandbox/core/money.cc", "sandbox/wire/json_reader.h"},
      {"sandbox/wire/route.h", "sandbox/faults/fault_plan.h"},
      {"sandbox/api/orders.cc", "sandbox/pages/page.h"},
      {"gateway/main.cc", "adapters/redis/session.h"},
      {"gateway/main.cc", "gateway/config/config.h"},
      {"sandbox/app.cc", "base/telemetry/log.h"},
      {"sandbox/app.cc", "services/domain/kind.h"},
      {"sandbox/app.cc", "adapters/payment_service/codec.h"},
      {"sandbox/app.cc", "tollbridge/common/v1/order.pb.h"},
      {"base/core/uuid.cc", "google/rpc/status.pb.h"},
      {"base/wire/server.cc", "grpc/health/v1/health.pb.h"},
      {"services/webhooks/ingress.cc", "base/wire/server.h"},
  };
  for (const auto& [file, include] : planted) {
    EXPECT_THAT(CheckOne(file, Include(include)), ElementsAre(Breaks("may not use")))
        << file << " includes " << include;
  }
}

TEST(PlantedInclude, AlongTheArrowsIsFine) {
  const struct {
    std::string file;
    std::string include;
  } fine[] = {
      {"base/core/uuid.cc", "base/core/uuid.h"},
      {"base/telemetry/log.cc", "base/core/encoding.h"},
      {"services/ports/clock.h", "services/domain/kind.h"},
      {"services/payments/create_order.cc", "services/operations/engine.h"},
      {"services/operations/durable.cc", "services/rpc/middleware.h"},
      {"services/webhooks/ingress.cc", "base/http/server.h"},
      {"adapters/redis/session.cc", "services/ports/operation_store.h"},
      {"adapters/redis/session.cc", "tollbridge/operations/v1/operations.pb.h"},
      {"gateway/wiring/gateway.cc", "adapters/redis/session.h"},
      {"sandbox/app.cc", "base/http/server.h"},
      {"sandbox/faults/fault_plan.cc", "sandbox/wire/json_reader.h"},
  };
  for (const auto& [file, include] : fine) {
    EXPECT_THAT(CheckOne(file, Include(include)), IsEmpty()) << file << " includes " << include;
  }
}

TEST(PlantedInclude, OfAnUnknownFolderIsFound) {
  EXPECT_THAT(CheckOne("gateway/wiring/gateway.cc", Include("adapters/oracle/session.h")),
              ElementsAre(Breaks("does not know")));
  EXPECT_THAT(CheckOne("services/helpers/misc.h", ""), ElementsAre(Breaks("does not know")));
}

TEST(PlantedInclude, OfTestsOrBesideTheRootIsFound) {
  EXPECT_THAT(CheckOne("services/domain/kind.cc", Include("tests/support/async_test.h")),
              ElementsAre(Breaks("does not include tests")));
  EXPECT_THAT(CheckOne("services/domain/kind.cc", Include("kind.h")),
              ElementsAre(Breaks("path from the root")));
}

TEST(PlantedInclude, OfALibraryOutsideItsRoomsIsFound) {
  EXPECT_THAT(CheckOne("services/webhooks/ingress.cc", System("boost/beast/http/parser.hpp")),
              ElementsAre(Breaks("Beast")));
  EXPECT_THAT(CheckOne("adapters/redis/session.cc", System("boost/asio/ssl/stream.hpp")),
              ElementsAre(Breaks("asio::ssl")));
  EXPECT_THAT(CheckOne("services/rpc/server.cc", System("grpcpp/server.h")),
              ElementsAre(Breaks("gRPC")));
  EXPECT_THAT(CheckOne("services/rpc/server.cc", System("nghttp2/nghttp2.h")),
              ElementsAre(Breaks("nghttp2")));
  EXPECT_THAT(CheckOne("services/events/reader.cc", System("librdkafka/rdkafka.h")),
              ElementsAre(Breaks("librdkafka")));
  EXPECT_THAT(CheckOne("gateway/wiring/gateway.cc", System("hiredis/hiredis.h")),
              ElementsAre(Breaks("hiredis")));
  EXPECT_THAT(CheckOne("base/core/async.h", System("boost/asio.hpp")),
              ElementsAre(Breaks("umbrella")));
}

TEST(PlantedInclude, OfALibraryInAHeaderWhereOnlySourcesMayIsFound) {
  EXPECT_THAT(CheckOne("base/http/parsers.h", System("boost/beast/http/parser.hpp")),
              ElementsAre(Breaks("Beast")));
  EXPECT_THAT(CheckOne("gateway/commands/channel.h", System("grpcpp/channel.h")),
              ElementsAre(Breaks("gRPC")));
  EXPECT_THAT(CheckOne("base/wire/session.h", System("nghttp2/nghttp2.h")),
              ElementsAre(Breaks("nghttp2")));
}

TEST(PlantedInclude, OfALibraryInItsRoomIsFine) {
  EXPECT_THAT(CheckOne("base/http/parsers.cc", System("boost/beast/http/parser.hpp")), IsEmpty());
  EXPECT_THAT(CheckOne("gateway/commands/channel.cc", System("grpcpp/channel.h")), IsEmpty());
  EXPECT_THAT(CheckOne("sandbox/kafka_broker.cc", System("librdkafka/rdkafka_mock.h")), IsEmpty());
  EXPECT_THAT(CheckOne("adapters/redis/connection.h", System("hiredis/hiredis.h")), IsEmpty());
}

TEST(PlantedInclude, WithUnusualSpacingIsFound) {
  EXPECT_THAT(CheckOne("services/domain/kind.cc", "  #  include\t<services/ports/clock.h>\n"),
              ElementsAre(Breaks("may not use")));
}

TEST(PlantedInclude, InAFileThatIsNoneOfOursIsPassedOver) {
  EXPECT_THAT(CheckOne("tests/unit/services/domain/kind_test.cc",
                       Include("gateway/config/config.h") + Include("tests/support/x.h")),
              IsEmpty());
  EXPECT_THAT(CheckOne("services/domain/CMakeLists.txt", Include("services/ports/clock.h")),
              IsEmpty());
}

TEST(PlantedLink, AgainstTheArrowsIsFound) {
  const std::string graph =
      "base/core tollbridge_core: tb::boost\n"
      "services/rpc tollbridge_rpc: tollbridge_core tollbridge_wire\n"
      "services/payments tollbridge_payments: tollbridge_rpc\n"
      "sandbox tollbridge_sandbox: tollbridge_proto\n"
      "tests/unit/services/rpc rpc_test: tollbridge_payments gRPC::grpc++\n";
  EXPECT_THAT(CheckLinkGraph(graph, "graph"),
              ElementsAre(Violation{"graph", 3, "tollbridge_payments links tollbridge_rpc",
                                    "services/payments may not use services/rpc"},
                          Violation{"graph", 4, "tollbridge_sandbox links tollbridge_proto",
                                    "sandbox may not use proto"}));
}

TEST(PlantedLink, OfALibraryOutsideItsRoomsIsFound) {
  EXPECT_THAT(CheckLinkGraph("services/events tollbridge_events: tb::rdkafka\n", "graph"),
              ElementsAre(AllOf(Breaks("librdkafka"), Field(&Violation::line, 1))));
  EXPECT_THAT(CheckLinkGraph("services/rpc tollbridge_rpc: gRPC::grpc++\n", "graph"),
              ElementsAre(Breaks("gRPC")));
  EXPECT_THAT(CheckLinkGraph("adapters/redis tollbridge_redis: tb::hiredis\n", "graph"), IsEmpty());
}

TEST(PlantedLink, OfAnUnknownFolderIsFound) {
  EXPECT_THAT(CheckLinkGraph("services/helpers tollbridge_helpers: tb::boost\n", "graph"),
              ElementsAre(Breaks("does not know")));
}

TEST(PlantedRoom, WithoutATargetIsFound) {
  EXPECT_THAT(
      CheckRoomsHaveTargets({"base/core", "services/events"},
                            "base/core tollbridge_core: tb::boost\n"),
      ElementsAre(AllOf(Breaks("no CMake target"), Field(&Violation::path, "services/events"))));
}

TEST(PlantedRoom, WithinARoomIsPartOfItsTarget) {
  EXPECT_THAT(CheckRoomsHaveTargets({"sandbox", "sandbox/core"},
                                    "sandbox tollbridge_sandbox: tollbridge_core\n"),
              IsEmpty());
  EXPECT_THAT(
      CheckRoomsHaveTargets({"sandbox", "sandbox/core"},
                            "sandbox tollbridge_sandbox: tollbridge_core\n"
                            "sandbox/core tollbridge_sandbox_core: tollbridge_core\n"),
      ElementsAre(AllOf(Breaks("part of a room"), Field(&Violation::path, "sandbox/core"))));
  EXPECT_THAT(
      CheckRoomsHaveTargets({"sandbox/core"}, "sandbox tollbridge_sandbox: tollbridge_core\n"),
      IsEmpty());
}

TEST(PlantedRoom, IsSeenByItsFiles) {
  EXPECT_THAT(RoomFolders({{"services/new_room/a.h", ""},
                           {"services/new_room/b.h", ""},
                           {"sandbox/app.cc", ""},
                           {"docs/architecture.md", ""}}),
              ElementsAre("sandbox", "services/new_room"));
}

TEST(PlantedProto, InAnotherPackageIsFound) {
  EXPECT_THAT(CheckProtoPackages({{"proto/tollbridge/common/v1/order.proto",
                                   "syntax = \"proto3\";\npackage tollbridge.common;\n"}}),
              ElementsAre(Breaks("must be tollbridge.common.v1")));
  EXPECT_THAT(CheckProtoPackages({{"proto/tollbridge/order.proto", "package tollbridge.v1;\n"}}),
              ElementsAre(Breaks("lies in")));
  EXPECT_THAT(CheckProtoPackages(
                  {{"proto/tollbridge/common/v1/order.proto", "package tollbridge.common.v1;\n"}}),
              IsEmpty());
}

TEST(PlantedHouseRule, LongSourceFileIsFound) {
  std::string long_enough;
  for (int i = 0; i < kMaxLines; ++i) long_enough += "\n";
  EXPECT_THAT(CheckHouseRules({{"services/rpc/call.cc", long_enough}}), IsEmpty());
  EXPECT_THAT(CheckHouseRules({{"services/rpc/call.cc", long_enough + "\n"}}),
              ElementsAre(Breaks("at most 500")));
  EXPECT_THAT(CheckHouseRules({{"adapters/redis/scripts/claim.lua", long_enough + "\n"}}),
              ElementsAre(Breaks("at most 500")));
  EXPECT_THAT(CheckHouseRules({{"tests/unit/call_test.cc", long_enough + "\n"}}), IsEmpty());
  EXPECT_THAT(CheckHouseRules({{"tests/data/long.json", long_enough + "\n"}}), IsEmpty());
}

// The words are put together, so that this file passes the check itself.
TEST(PlantedHouseRule, NoteOfUnfinishedWorkIsFound) {
  EXPECT_THAT(CheckHouseRules({{"services/rpc/call.cc", std::string("\n// TO") + "DO: later\n"}}),
              ElementsAre(AllOf(Breaks("unfinished"), Field(&Violation::line, 2))));
  EXPECT_THAT(CheckHouseRules({{"docs/architecture.md", std::string("FIX") + "ME\n"}}),
              ElementsAre(Breaks("unfinished")));
}

TEST(PlantedHouseRule, MachinePathIsFound) {
  EXPECT_THAT(CheckHouseRules({{"dev", std::string("cd /wo") + "rk/main\n"}}),
              ElementsAre(Breaks("machine")));
  EXPECT_THAT(CheckHouseRules({{"README.md", std::string("`/ho") + "me/someone/x`\n"}}),
              ElementsAre(Breaks("machine")));
  EXPECT_THAT(CheckHouseRules({{"README.md", "docs/work/plan and http://host.example/work/x\n"}}),
              IsEmpty());
}

TEST(PlantedHouseRule, SleepInATestIsFound) {
  const std::string sleep = std::string("std::this_thread::sleep") + "_for(1s);\n";
  EXPECT_THAT(CheckHouseRules({{"tests/unit/x_test.cc", sleep}}), ElementsAre(Breaks("sleeps")));
  EXPECT_THAT(CheckHouseRules({{"gateway/commands/serve.cc", sleep}}), IsEmpty());
}

// References are put together, so that this file passes the check itself. The page has the path of
// one that is there.
const std::string kPlantedPage = "docs/design/events.md";

/// That page to refer to, beside the file that does.
Violations CheckReferencesOf(const std::string& path, const std::string& content) {
  return CheckReferences(
      {{kPlantedPage,
        "# A page\n\n## Rule 1\n\n## Rule 2: `then` [go](#a-page) on\n\n## Rule 1\n"
        "```sh\n# No heading\n```\n"},
       {path, content}});
}

TEST(PlantedReference, ToAPageThatIsNotThereIsFound) {
  const std::string nowhere = std::string("docs/") + "design/nowhere.md";
  EXPECT_THAT(CheckReferencesOf("services/domain/kind.cc", "\n// See " + nowhere + ".\n"),
              ElementsAre(AllOf(Breaks("no such page"), Field(&Violation::line, 2))));
  EXPECT_THAT(CheckReferencesOf("scripts/lint.sh", "# see " + nowhere + "#rule-1\n"),
              ElementsAre(Breaks("no such page")));
}

TEST(PlantedReference, ToAHeadingThatIsNotThereIsFound) {
  for (const std::string file : {"services/domain/kind.h", "adapters/redis/scripts/x.lua",
                                 "proto/tollbridge/x.proto", "cmake/rooms.cmake", "README.md"}) {
    EXPECT_THAT(CheckReferencesOf(file, "// (" + kPlantedPage + "#rule-3)\n"),
                ElementsAre(Breaks("no such heading")))
        << file;
  }
  EXPECT_THAT(CheckReferencesOf("README.md", kPlantedPage + "#no-heading\n"),
              ElementsAre(Breaks("no such heading")));
}

TEST(PlantedReference, ToAFurtherHeadingThatIsNotThereIsFound) {
  EXPECT_THAT(CheckReferencesOf("services/domain/kind.h",
                                "/// (" + kPlantedPage + "#rule-1, #rule-1-1 and\n/// #rule-4)\n"),
              ElementsAre(AllOf(Breaks("no such heading"), Field(&Violation::line, 2))));
}

TEST(PlantedReference, ThatLeadsSomewhereIsFine) {
  EXPECT_THAT(CheckReferencesOf("services/domain/kind.h",
                                "/// " + kPlantedPage + " and " + kPlantedPage +
                                    "#rule-1, #rule-1-1\n/// and #rule-2-then-go-on.\n#define X\n"),
              IsEmpty());
  EXPECT_THAT(CheckReferencesOf("README.md", "[a](" + kPlantedPage + "#rule-1) [b](docs/design/) " +
                                                 "[c](https://host.example/x.md) [d](#here)\n" +
                                                 "# Here\n"),
              IsEmpty());
}

TEST(PlantedReference, OfALinkThatLeadsNowhereIsFound) {
  EXPECT_THAT(
      CheckReferencesOf("docs/guides/callers.md", "[b](../design/) and [c](nowhere.md)\n"),
      ElementsAre(AllOf(Breaks("leads nowhere"), Field(&Violation::subject, "nowhere.md"))));
  EXPECT_THAT(CheckReferencesOf("docs/guides/callers.md", "[c](#nothing)\n"),
              ElementsAre(Breaks("no such heading")));
}

TEST(PlantedOldCitation, OfAPageByItsBareNameIsFound) {
  for (const std::string name : {"operations", "events", "design", "open-points"}) {
    EXPECT_THAT(CheckOldCitations({{"services/domain/kind.h", "/// (" + name + ".md, Rules)\n"}}),
                ElementsAre(Breaks("from the root")))
        << name;
    EXPECT_THAT(
        CheckOldCitations({{"docs/adr/0001-record-decisions.md", "shared/" + name + ".md\n"}}),
        ElementsAre(Breaks("from the root")))
        << name;
    EXPECT_THAT(CheckOldCitations({{"docs/architecture.md", "[x](design/" + name + ".md#rule-1)\n"},
                                   {"dev", "docs/design/" + name + ".md un-" + name + ".md\n"}}),
                IsEmpty())
        << name;
  }
}

TEST(PlantedOldCitation, OfTheInterfaceByItsOldNameIsFound) {
  const std::string old = std::string("Interface ") + "document";
  EXPECT_THAT(CheckOldCitations({{"docs/guides/callers.md", "The " + old + " says\n"}}),
              ElementsAre(Breaks("docs/interface.md")));
  EXPECT_THAT(CheckOldCitations({{"services/domain/kind.h",
                                  std::string("\n/// the interface\n/// document") + " says\n"}}),
              ElementsAre(AllOf(Breaks("docs/interface.md"), Field(&Violation::line, 2))));
}

TEST(PlantedOldCitation, OfARuleOrASectionWithoutItsPageIsFound) {
  const std::string rule = std::string("rule") + " 12";
  const std::string section = std::string("section") + " Errors";
  const std::vector<std::string> comments = {
      "// (" + rule + ")\n", "int x = 1;  ///< R" + rule.substr(1) + "\n",
      "// the " + section + "\n", "/// (rules\n/// 3 and 4)\n"};
  for (const std::string& comment : comments) {
    EXPECT_THAT(CheckOldCitations({{"services/domain/kind.h", comment}}),
                ElementsAre(Breaks("name its page")))
        << comment;
  }
  EXPECT_THAT(CheckOldCitations({{"adapters/redis/scripts/x.lua", "-- " + rule + "\n"}}),
              ElementsAre(Breaks("name its page")));
  EXPECT_THAT(CheckOldCitations({{"services/domain/kind.cc", "Fail(\"" + rule + "\");\n"},
                                 {"docs/guides/callers.md", "by " + rule + "\n"}}),
              IsEmpty());
}

}  // namespace
}  // namespace tollbridge::architecture
