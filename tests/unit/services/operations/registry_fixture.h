#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_REGISTRY_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_REGISTRY_FIXTURE_H_

#include <string>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "services/domain/errors.h"
#include "services/domain/project.h"
#include "services/operations/identity.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_operation_registry.h"

namespace tollbridge::operations {

inline constexpr char kCreateRpc[] = "tollbridge.payments.v1.Payments/CreateOrder";
inline constexpr char kOrderId[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";

/// What operators see: two projects, and records that the test puts into a registry.
class RegistryFixture : public ::testing::Test {
 protected:
  static domain::Project Shop() {
    return {.name = "shop", .id = *Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a962")};
  }
  static domain::Project Other() {
    return {.name = "other", .id = *Uuid::Parse("4b241101-e2bb-4255-8caf-4136c566a962")};
  }

  ports::Context CallContext() const {
    return {.deadline = clock_.BootNow() + std::chrono::seconds(15), .trace = {}};
  }

  /// A record under a key of the project.
  v1::Operation& Put(const std::string& key, v1::OperationState state,
                     const domain::Project& project = Shop()) {
    const std::string id = OperationId(project.id, key).ToString();
    v1::Operation& record = registry_.records[id];
    record.set_id(id);
    record.set_rpc(kCreateRpc);
    record.set_project(project.name);
    record.set_state(state);
    record.set_attempt(1);
    return record;
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  test::FakeOperationRegistry registry_;
  domain::Project shop_ = Shop();
  domain::Project other_ = Other();
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_REGISTRY_FIXTURE_H_
