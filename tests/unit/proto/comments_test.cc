// Every element of every .proto says what it means. Comments are not compiled in, so the sources
// are parsed again.

#include <fstream>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

namespace tollbridge {
namespace {

namespace pb = google::protobuf;

int checked = 0;

template <typename Element>
void Check(const Element& element) {
  ++checked;
  pb::SourceLocation location;
  EXPECT_TRUE(element.GetSourceLocation(&location)) << element.full_name();
  EXPECT_GT(location.leading_comments.size(), 4U) << element.full_name() << " has no comment";
}

void CheckEnum(const pb::EnumDescriptor& type) {
  Check(type);
  for (int i = 0; i < type.value_count(); ++i) Check(*type.value(i));
}

void CheckMessage(const pb::Descriptor& type) {
  if (type.options().map_entry()) return;
  Check(type);
  for (int i = 0; i < type.field_count(); ++i) Check(*type.field(i));
  for (int i = 0; i < type.real_oneof_decl_count(); ++i) Check(*type.oneof_decl(i));
  for (int i = 0; i < type.nested_type_count(); ++i) CheckMessage(*type.nested_type(i));
  for (int i = 0; i < type.enum_type_count(); ++i) CheckEnum(*type.enum_type(i));
}

void CheckFile(const pb::FileDescriptor& file) {
  for (int i = 0; i < file.message_type_count(); ++i) CheckMessage(*file.message_type(i));
  for (int i = 0; i < file.enum_type_count(); ++i) CheckEnum(*file.enum_type(i));
  for (int i = 0; i < file.extension_count(); ++i) Check(*file.extension(i));
  for (int i = 0; i < file.service_count(); ++i) {
    Check(*file.service(i));
    for (int j = 0; j < file.service(i)->method_count(); ++j) Check(*file.service(i)->method(j));
  }
}

TEST(ProtoComments, EveryElementHasOne) {
  std::ifstream stream(TOLLBRIDGE_COMMENTED_PROTOS, std::ios::binary);
  pb::FileDescriptorSet set;
  ASSERT_TRUE(set.ParseFromIstream(&stream)) << TOLLBRIDGE_COMMENTED_PROTOS;
  pb::DescriptorPool pool;  // Files come with what they import before them.
  for (const pb::FileDescriptorProto& file : set.file()) {
    const pb::FileDescriptor* const built = pool.BuildFile(file);
    ASSERT_NE(built, nullptr) << file.name();
    if (!file.name().starts_with("google/protobuf/")) CheckFile(*built);
  }
  EXPECT_GT(checked, 300);
}

}  // namespace
}  // namespace tollbridge
