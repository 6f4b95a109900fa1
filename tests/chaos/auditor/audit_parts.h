#ifndef TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_PARTS_H_
#define TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_PARTS_H_

#include "tests/chaos/auditor/audit.h"
#include "tests/chaos/auditor/audit_index.h"

/// The auditor's questions, a few a file. Each adds to the report what it finds.
namespace tollbridge::chaos {

// audit_effects.cc: callers against the ledger.
void CheckResults(const AuditIndex& index, Report* report);
void CheckDoubles(const AuditIndex& index, const AuditOptions& options, Report* report);
void CheckDenied(const AuditIndex& index, Report* report);
void CheckOwners(const AuditIndex& index, Report* report);

// audit_callers.cc: callers against each other, and against their keys, ids and projects.
void CheckCallers(const AuditIndex& index, Report* report);
void CheckProjects(const AuditIndex& index, Report* report);

// audit_amounts.cc: amounts and currencies.
void CheckAmounts(const AuditIndex& index, Report* report);

// audit_late.cc: orphans, late effects, operations that are not closed.
void CheckOrphans(const AuditIndex& index, Report* report);
void CheckLateEffects(const AuditIndex& index, const AuditOptions& options, Report* report);
void CheckOpen(const AuditIndex& index, const AuditOptions& options, Report* report);

// audit_topics.cc: the two topics. Run before the others: it takes exact repeats out of the index.
void CheckOperationRecords(AuditIndex& index, Report* report);
void CheckEvents(const AuditIndex& index, Report* report);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_AUDITOR_AUDIT_PARTS_H_
