#ifndef TOLLBRIDGE_TESTS_BENCH_CONNECTION_H_
#define TOLLBRIDGE_TESTS_BENCH_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tollbridge::bench {

/// A blocking loopback connection for the calls that are not load. Everything that goes wrong
/// throws std::runtime_error.
class Connection {
 public:
  /// `receive_buffer` in bytes, 0 = the system's.
  explicit Connection(std::uint16_t port, int receive_buffer = 0);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  void Write(std::string_view bytes);
  /// The status and header up to and with the empty line.
  std::string ReadHeader();
  /// What follows that header: by its Content-Length or in chunks, piece by piece.
  void ReadBody(std::string_view header, const std::function<void(std::string_view)>& sink);

 private:
  /// Reads more into buffer_; false at the end of the stream.
  bool Fill();
  void FillOrThrow();
  /// Takes `size` bytes of body.
  void Take(std::size_t size, const std::function<void(std::string_view)>& sink);
  std::string TakeLine();

  int fd_ = -1;
  std::string buffer_;
};

/// The value of a header field, "" when it is not there. `name` as the servers write it.
std::string_view HeaderValue(std::string_view header, std::string_view name);

/// A request with the demo project's key.
std::string MakeRequest(std::string_view method, std::string_view target,
                        std::string_view body = "");

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_CONNECTION_H_
