#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_TRAITS_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_TRAITS_H_

#include <cstddef>

namespace tollbridge::model {

/// What a run has beside its faults.
struct Traits {
  std::size_t projects = 1;
  /// A replica has what is SENT before it is sent, and it is what takes over from the primary.
  bool replicated = false;
  /// What is closed is retired while callers still come back to it.
  bool retires = false;
  /// Replicas get a new current key before each has it among the others.
  bool careless_rotation = false;
};

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_TRAITS_H_
