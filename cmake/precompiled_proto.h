// What precompiled.h has, and the contract's messages with protobuf behind them, for the rooms that
// know them.
#include "precompiled.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/struct.pb.h>

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"
