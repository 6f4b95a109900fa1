#include "tests/e2e/published_methods.h"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;

}  // namespace

std::vector<const pb::MethodDescriptor*> PublishedMethods() {
  const fs::path root = fs::path(TOLLBRIDGE_SOURCE_DIR) / "proto";
  std::vector<const pb::MethodDescriptor*> methods;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tollbridge")) {
    if (entry.path().extension() != ".proto") continue;
    const std::string name = entry.path().lexically_relative(root).string();
    const auto* const file = pb::DescriptorPool::generated_pool()->FindFileByName(name);
    if (file == nullptr) throw std::runtime_error(name + " is not compiled in");
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        methods.push_back(file->service(i)->method(j));
      }
    }
  }
  return methods;
}

std::unique_ptr<pb::Message> NewMessage(const pb::Descriptor& type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(&type)->New());
}

}  // namespace tollbridge::test
