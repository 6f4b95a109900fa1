// What precompiled_proto.h has, and gtest and gmock, for the tests.
#include "precompiled_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
