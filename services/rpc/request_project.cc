#include "services/rpc/request_project.h"

#include <string>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

namespace tollbridge::rpc {

namespace pb = google::protobuf;

const domain::Project* ProjectOf(const domain::Projects& projects, const pb::Message& request) {
  const pb::FieldDescriptor* field = request.GetDescriptor()->FindFieldByName("project");
  if (field == nullptr || field->is_repeated() ||
      field->type() != pb::FieldDescriptor::TYPE_STRING) {
    return nullptr;
  }
  std::string scratch;
  return projects.Find(request.GetReflection()->GetStringReference(request, field, &scratch));
}

}  // namespace tollbridge::rpc
