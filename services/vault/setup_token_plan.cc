#include "services/vault/setup_token_plan.h"

namespace tollbridge::vault {

operations::StepKind SetupTokenStep(std::string name) {
  operations::StepKind kind;
  kind.name = std::move(name);
  kind.on_absence = operations::OnAbsence::kNotExecuted;
  kind.service_guards_repeat = true;
  kind.spends_setup_token = true;
  return kind;
}

}  // namespace tollbridge::vault
