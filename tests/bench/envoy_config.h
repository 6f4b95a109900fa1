#ifndef TOLLBRIDGE_TESTS_BENCH_ENVOY_CONFIG_H_
#define TOLLBRIDGE_TESTS_BENCH_ENVOY_CONFIG_H_

#include <cstdint>
#include <string>

#include "tests/support/process.h"

namespace tollbridge::bench {

/// The configuration of Envoy, YAML: gRPC on a free loopback port, its reverse transcoder with this
/// descriptor, and one upstream on a loopback port. It makes no ids, keeps no statistics a call and
/// writes no access log.
std::string EnvoyConfig(std::uint16_t upstream_port, const std::string& descriptor_path);

/// Where that port is, host:port. `admin_file`: where Envoy writes the address of its
/// administration. Throws std::runtime_error when it does not come up.
std::string EnvoyAddress(const std::string& admin_file, const test::Process& envoy);

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_ENVOY_CONFIG_H_
