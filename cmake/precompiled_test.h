// What precompiled.h has, and gtest and gmock, for the tests.
#include "precompiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
