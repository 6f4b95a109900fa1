#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_STREAM_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_STREAM_H_

#include <functional>

#include "base/core/async.h"
#include "services/domain/encoded.h"

namespace tollbridge::operations {

/// Takes the next message of a stream and returns when the flow control allows another; an error,
/// CANCELLED when the caller has gone, ends the stream.
template <typename Response>
using StreamSink = std::function<AsyncStatus(domain::Encoded<Response>)>;

/// A stream whose use case waits meanwhile, and has to know whether its caller is still there.
template <typename Response>
class Stream {
 public:
  virtual ~Stream() = default;
  /// As StreamSink. The message lives as long as the coroutine.
  virtual AsyncStatus Write(const Response& response) = 0;
  virtual bool cancelled() const = 0;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_STREAM_H_
