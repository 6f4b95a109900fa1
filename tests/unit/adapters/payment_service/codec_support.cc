#include "tests/unit/adapters/payment_service/codec_support.h"

#include <filesystem>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include "tests/support/read_file.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::payment_service {

namespace pb = google::protobuf;

std::vector<const pb::Descriptor*> WireTypes() {
  const std::filesystem::path root = std::filesystem::path(TOLLBRIDGE_SOURCE_DIR) / "proto";
  std::vector<const pb::Descriptor*> types;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".proto") continue;
    const std::string name = entry.path().lexically_relative(root).string();
    const pb::FileDescriptor* const file =
        pb::DescriptorPool::generated_pool()->FindFileByName(name);
    if (file == nullptr) {
      ADD_FAILURE() << name << " is not compiled in";
      continue;
    }
    for (int i = 0; i < file->message_type_count(); ++i) {
      const pb::Descriptor* const type = file->message_type(i);
      if (type->options().GetExtension(options::v1::wire)) types.push_back(type);
    }
  }
  return types;
}

std::unique_ptr<pb::Message> NewMessage(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

::testing::AssertionResult SameMessage(const pb::Message& got, const pb::Message& want) {
  pb::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  if (differencer.Compare(want, got)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\n" << difference;
}

void ParseText(std::string_view text, pb::Message* message) {
  ASSERT_TRUE(pb::TextFormat::ParseFromString(std::string(text), message)) << text;
}

}  // namespace tollbridge::payment_service
