#include "gateway/commands/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/commands/exit_codes.h"
#include "gateway/commands/typed_name.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// How the reading of a command line ended.
struct Read {
  std::optional<int> code;
  std::string output;
  std::string error;
};

/// A program with the commands `call METHOD [REQUEST]` and `dlq list`.
class CommandLineTest : public testing::Test {
 protected:
  Read Read(std::vector<std::string> arguments) {
    CLI::App app("A program", "program");
    app.require_subcommand(1);
    app.set_version_flag("--version", "program 1");
    CLI::App* call = app.add_subcommand("call", "call it");
    call->add_option("method", text_)->required();
    call->add_option("request", text_);
    call->add_option("--address", text_);
    call->add_option("--timeout", number_)->check(CLI::Range(0, 9));
    CLI::App* dlq = app.add_subcommand("dlq", "letters");
    dlq->require_subcommand(1);
    CLI::App* list = dlq->add_subcommand("list", "all");
    list->add_option("--cause", text_)->check(CLI::IsMember({"unparsable", "unknown"}));
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    struct Read read;
    read.code = ReadCommandLine(app, std::move(arguments));
    read.output = testing::internal::GetCapturedStdout();
    read.error = testing::internal::GetCapturedStderr();
    return read;
  }
  std::string Error(std::vector<std::string> arguments) {
    const struct Read read = Read(std::move(arguments));
    EXPECT_EQ(read.code, kNotTried);
    EXPECT_EQ(read.output, "");
    return read.error;
  }

 private:
  std::string text_;
  int number_ = 0;
};

TEST_F(CommandLineTest, AGoodOneChoosesItsCommand) {
  EXPECT_EQ(Read({"call", "Payments.GetOrder", "{}"}).code, std::nullopt);
  EXPECT_EQ(Read({"dlq", "list"}).code, std::nullopt);
}

TEST_F(CommandLineTest, NothingAtAllIsAnsweredWithTheHelpAndFails) {
  EXPECT_THAT(Error({}), AllOf(HasSubstr("call"), HasSubstr("dlq")));
}

TEST_F(CommandLineTest, HelpAndVersionAreWordsToo) {
  for (const auto& words : {std::vector<std::string>{"--help"}, {"help"}}) {
    const struct Read help = Read(words);
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.output, AllOf(HasSubstr("call"), HasSubstr("dlq")));
  }
  for (const auto& words :
       {std::vector<std::string>{"dlq", "list", "--help"}, {"help", "dlq", "list"}}) {
    const struct Read help = Read(words);
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.output, HasSubstr("--cause"));
  }
  for (const std::string word : {"--version", "version"}) {
    const struct Read version = Read({word});
    EXPECT_EQ(version.code, 0);
    EXPECT_EQ(version.output, "program 1\n");
  }
}

TEST_F(CommandLineTest, ASlipInACommandOrAnOptionIsAnsweredWithWhatIsMeant) {
  EXPECT_EQ(Error({"cal", "Payments.GetOrder"}),
            "program: there is no command 'cal'; did you mean 'call'?\nTry 'program --help'.\n");
  EXPECT_THAT(Error({"dlq", "lst"}), HasSubstr("no command 'lst'; did you mean 'list'?"));
  EXPECT_EQ(Error({"call", "--adress", "x", "Payments.GetOrder", "{}"}),
            "program call: there is no option '--adress'; did you mean '--address'?\n"
            "Try 'program call --help'.\n");
  EXPECT_THAT(Error({"dlq", "list", "--cuase=x"}), HasSubstr("did you mean '--cause'?"));
}

TEST_F(CommandLineTest, WhatIsMissingIsNamed) {
  EXPECT_THAT(Error({"dlq"}), HasSubstr("program dlq: a command is missing; there are list"));
  EXPECT_THAT(Error({"call"}), HasSubstr("method is required"));
  EXPECT_THAT(Error({"call", "x", "--address"}), HasSubstr("--address"));
}

TEST_F(CommandLineTest, AWrongValueIsAnsweredWithWhatTheOptionTakes) {
  EXPECT_THAT(Error({"call", "x", "--timeout", "soon"}),
              AllOf(HasSubstr("--timeout: takes "), HasSubstr("9"), Not(HasSubstr("soon"))));
  EXPECT_THAT(Error({"call", "x", "--timeout", "10"}), HasSubstr("--timeout: takes "));
  EXPECT_THAT(Error({"dlq", "list", "--cause", "what"}),
              AllOf(HasSubstr("--cause: takes "), HasSubstr("unparsable"), Not(HasSubstr("what"))));
}

TEST_F(CommandLineTest, ARequestThatHasSlippedIsShownNowhere) {
  const std::string request = R"({"card": {"pan": "4111111111111111", "cvc": "737"}})";
  for (const auto& words : {std::vector<std::string>{request},
                            {request, "call"},
                            {"dlq", request},
                            {"dlq", "list", request},
                            {"call", "x", "{}", request},
                            {"call", "x", "--timeout", request},
                            {"call", "x", "--" + request},
                            {"call", "x", "--address=y", "--request=" + request},
                            {"dlq", "list", "--cause", request},
                            {"4111111111111111"},
                            {"dlq", "737"}}) {
    EXPECT_THAT(Error(words), AllOf(Not(HasSubstr("4111")), Not(HasSubstr("737")))) << words.back();
  }
}

TEST(TypedNameTest, WhatHoldsACardOrASecretIsNoName) {
  for (const std::string name :
       {"list", "--from-beginning", "Payments.CreateOrder", "idempotency_key",
        "tollbridge.payments.v1.Payments/CreateOrder"}) {
    EXPECT_TRUE(LooksLikeAName(name)) << name;
  }
  for (const std::string& text :
       {std::string(), std::string("4111111111111111"), std::string("737"), std::string("{}"),
        std::string("a b"), std::string("a=b"), std::string(81, 'a')}) {
    EXPECT_FALSE(LooksLikeAName(text)) << text;
    EXPECT_EQ(Quoted(text), "");
    EXPECT_EQ(DidYouMean(text, {text}), "");
  }
}

TEST(TypedNameTest, TheNearestIsMeantWhateverItsCase) {
  EXPECT_EQ(DidYouMean("payments.createordr", {"Payments.GetOrder", "Payments.CreateOrder"}),
            "; did you mean 'Payments.CreateOrder'?");
  EXPECT_EQ(DidYouMean("nothing", {"Payments.GetOrder"}), "");
}

}  // namespace
}  // namespace tollbridge::gateway
