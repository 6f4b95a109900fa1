#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_SETTINGS_CHECK_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_SETTINGS_CHECK_H_

#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// A setting has one default (ADR 35). What is bound to a section of the configuration is a member
/// of a struct of the same room, or of a leaf; and where such a value is put into another struct,
/// no default stands there already: that one would never be in force, or be in force by mistake. An
/// empty initializer, as in `int limit{};`, is no default. The sandbox has settings of its own.
Violations CheckSettings(const std::vector<SourceFile>& files);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_SETTINGS_CHECK_H_
