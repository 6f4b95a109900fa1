#include "services/rpc/pipeline.h"

#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

class Note : public Middleware {
 public:
  Note(std::string name, std::vector<std::string>& notes) : name_(std::move(name)), notes_(notes) {}
  AsyncStatus Handle(Call& call, Next next) override {
    notes_.push_back(name_ + " in");
    absl::Status status = co_await next(call);
    notes_.push_back(name_ + " out");
    co_return status;
  }

 private:
  std::string name_;
  std::vector<std::string>& notes_;
};

class Refuse : public Middleware {
 public:
  AsyncStatus Handle(Call&, Next) override { co_return absl::AbortedError("no"); }
};

using PipelineTest = RpcTest;

TEST_F(PipelineTest, RunsTheLinksInTheirOrderAroundTheHandler) {
  std::vector<std::string> notes;
  std::vector<std::unique_ptr<Middleware>> links;
  links.push_back(std::make_unique<Note>("outer", notes));
  links.push_back(std::make_unique<Note>("inner", notes));
  Pipeline pipeline(std::move(links));
  FakeHandler handler(absl::NotFoundError("x"));
  auto call = MakeCall();

  const absl::Status status = test::Await(context_, pipeline.Run(*call, handler));

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(notes, (std::vector<std::string>{"outer in", "inner in", "inner out", "outer out"}));
  EXPECT_EQ(handler.calls, 1);
}

TEST_F(PipelineTest, ALinkThatAnswersKeepsTheCallFromTheRest) {
  std::vector<std::string> notes;
  std::vector<std::unique_ptr<Middleware>> links;
  links.push_back(std::make_unique<Refuse>());
  links.push_back(std::make_unique<Note>("behind", notes));
  Pipeline pipeline(std::move(links));
  FakeHandler handler;
  auto call = MakeCall();

  EXPECT_EQ(test::Await(context_, pipeline.Run(*call, handler)).code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(handler.calls, 0);
}

TEST_F(PipelineTest, WithoutLinksIsTheHandler) {
  Pipeline pipeline({});
  FakeHandler handler;
  auto call = MakeCall();
  EXPECT_TRUE(test::Await(context_, pipeline.Run(*call, handler)).ok());
  EXPECT_EQ(handler.calls, 1);
}

}  // namespace
}  // namespace tollbridge::rpc
