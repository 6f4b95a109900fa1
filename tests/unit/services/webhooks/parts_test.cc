#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/webhooks/notification.h"
#include "services/webhooks/path_tokens.h"

namespace tollbridge::webhooks {
namespace {

constexpr char kOrder[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr char kProject[] = "0b3c8a52-4a6b-4f7e-9f0d-1a2b3c4d5e6f";

std::string Body(const std::string& event, const std::string& order, const std::string& project) {
  return R"({"event":)" + event + R"(,"order_id":)" + order + R"(,"project_id":)" + project + "}";
}
std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

TEST(NotificationTest, ReadsTheDocumentedBodyAndIgnoresWhatElseComes) {
  const auto read =
      ParseNotification(Body(R"("status_changed")", Quoted(kOrder), Quoted(kProject)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->order_id.ToString(), kOrder);
  EXPECT_EQ(read->project_id->ToString(), kProject);
  EXPECT_TRUE(ParseNotification(
      Body(R"("something_new","more":{"a":[1,null]})", Quoted(kOrder), Quoted(kProject))));
}

TEST(NotificationTest, NeedsNeitherAnEventNorAProject) {
  const std::string order = R"("order_id":)" + Quoted(kOrder);
  for (const std::string& body :
       {"{" + order + "}", R"({"event":"status_changed",)" + order + "}",
        "{" + order + R"(,"project_id":null,"event":null})", Body("7", Quoted(kOrder), "null")}) {
    const auto read = ParseNotification(body);
    ASSERT_TRUE(read) << body;
    EXPECT_EQ(read->order_id.ToString(), kOrder) << body;
    EXPECT_FALSE(read->project_id) << body;
  }
  const auto named = ParseNotification("{" + order + R"(,"project_id":)" + Quoted(kProject) + "}");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->project_id->ToString(), kProject);
}

TEST(NotificationTest, RefusesEverythingElse) {
  const std::string good_order = Quoted(kOrder);
  const std::string good_project = Quoted(kProject);
  for (const std::string& body : std::vector<std::string>{
           "", " ", "null", "[]", "\"text\"", "{}", "not json", "{\"event\":",
           Body("\"e\"", good_order, good_project) + "x", Body("\"e\"", "1", good_project),
           Body("\"e\"", "null", good_project), Body("\"e\"", good_order, "1"),
           Body("\"e\"", good_order, "\"shop\""), Body("\"e\"", "\"../../../etc\"", good_project),
           Body("\"e\"", Quoted(std::string(kOrder) + "0"), good_project),
           R"({"event":"e","project_id":)" + good_project + "}", std::string("\xff\xfe\0", 3)}) {
    EXPECT_FALSE(ParseNotification(body)) << body;
  }
}

TEST(NotificationTest, RefusesDeepNesting) {
  const std::string deep = R"("e","x":)" + std::string(1500, '[') + std::string(1500, ']');
  EXPECT_FALSE(ParseNotification(Body(deep, Quoted(kOrder), Quoted(kProject))));
}

const std::string kToken(32, 'a');
const std::string kRotated(32, 'b');

TEST(PathTokensTest, FindsTheProjectOfEachLiveToken) {
  const domain::Project shop{.name = "shop", .id = {}, .webhook_url = ""};
  const domain::Project other{.name = "other", .id = {}, .webhook_url = ""};
  const auto tokens =
      PathTokens::Create({{.project = &shop, .tokens = {kToken, kRotated}, .file = ""},
                          {.project = &other, .tokens = {std::string(32, 'c')}, .file = ""}});
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  EXPECT_EQ(tokens->Find(kToken), &shop);
  EXPECT_EQ(tokens->Find(kRotated), &shop);
  EXPECT_EQ(tokens->Find(std::string(32, 'c')), &other);
  for (const std::string& wrong :
       {std::string(), std::string(32, 'd'), kToken + "a", kToken.substr(1)}) {
    EXPECT_EQ(tokens->Find(wrong), nullptr);
  }
}

TEST(PathTokensTest, RefusesWeakTokensWithoutShowingThem) {
  const domain::Project shop{.name = "shop", .id = {}, .webhook_url = ""};
  for (const std::vector<std::string>& bad :
       std::vector<std::vector<std::string>>{{"short-secret"},
                                             {""},
                                             {kToken + "/x"},
                                             {kToken, kToken},
                                             {kToken, kRotated, std::string(32, 'c')}}) {
    const auto tokens =
        PathTokens::Create({{.project = &shop, .tokens = bad, .file = "/run/tokens"}});
    EXPECT_EQ(tokens.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(tokens.status().message().find("project shop: /run/tokens: "),
              absl::string_view::npos);
    EXPECT_EQ(tokens.status().message().find(bad.front().empty() ? "never" : bad.front()),
              absl::string_view::npos);
  }
}

}  // namespace
}  // namespace tollbridge::webhooks
