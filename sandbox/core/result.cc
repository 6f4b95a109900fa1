#include "sandbox/core/result.h"

namespace tollbridge::sandbox {

ApiError Invalid(std::string what) { return {422, "ValidationError", std::move(what)}; }

ApiError WrongState(std::string what) { return {409, "CanNotCancelTransaction", std::move(what)}; }

ApiError NotFound() { return {404, "NotFound", "the resource does not exist"}; }

}  // namespace tollbridge::sandbox
