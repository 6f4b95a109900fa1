#include "services/rpc/pipeline.h"

namespace tollbridge::rpc {

AsyncStatus Next::operator()(Call& call) const {
  if (rest_.empty()) return handler_->Handle(call);
  return rest_.front()->Handle(call, Next(rest_.subspan(1), *handler_));
}

}  // namespace tollbridge::rpc
