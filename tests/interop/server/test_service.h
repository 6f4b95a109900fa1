#ifndef TOLLBRIDGE_TESTS_INTEROP_SERVER_TEST_SERVICE_H_
#define TOLLBRIDGE_TESTS_INTEROP_SERVER_TEST_SERVICE_H_

#include "base/wire/server_call.h"

namespace tollbridge::interop {

/// grpc.testing.TestService, as gRPC's description of the interoperability cases wants it: the
/// methods that answer once and those that stream; UnimplementedCall is missing on purpose.
wire::Methods TestService();

}  // namespace tollbridge::interop

#endif  // TOLLBRIDGE_TESTS_INTEROP_SERVER_TEST_SERVICE_H_
