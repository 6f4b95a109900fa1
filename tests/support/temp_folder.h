#ifndef TOLLBRIDGE_TESTS_SUPPORT_TEMP_FOLDER_H_
#define TOLLBRIDGE_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tollbridge::test {

/// A folder of its own, gone with this object.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tollbridge-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  /// Writes a file in it; gives its path.
  std::string Write(std::string_view name, std::string_view content) const {
    const std::string path = (std::filesystem::path(path_) / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  /// As files of secrets must be: nobody else may read it.
  std::string WriteSecret(std::string_view name, std::string_view content) const {
    const std::string path = Write(name, content);
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return path;
  }
  std::string PathOf(std::string_view name) const {
    return (std::filesystem::path(path_) / name).string();
  }

 private:
  std::string path_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_TEMP_FOLDER_H_
