#ifndef TOLLBRIDGE_TESTS_FUZZ_ANSWER_CHECK_H_
#define TOLLBRIDGE_TESTS_FUZZ_ANSWER_CHECK_H_

#include <string>

#include "tests/fuzz/wire.h"

namespace tollbridge::fuzz {

/// What a server says with a status of 400 and up.
enum class Errors { kObject, kText };

/// Reads what a server wrote on one connection as a strict client would: well-formed HTTP/1.1
/// answers with a status of 200 to 599 (and 100), one for each request that was handled, in order,
/// and then at most one that refuses what is no request. With kObject a status of 400 and up
/// carries the error object (docs/interface.md#errors), but for the pages (below /pay, and the
/// operator's). Returns what is wrong; empty when nothing is.
std::string WhatIsWrong(const Exchange& exchange, Errors errors = Errors::kObject);

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_ANSWER_CHECK_H_
