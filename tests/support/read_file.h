#ifndef TOLLBRIDGE_TESTS_SUPPORT_READ_FILE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_READ_FILE_H_

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tollbridge::test {

/// The whole content; throws when the file cannot be read.
inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_READ_FILE_H_
