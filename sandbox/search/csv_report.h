#ifndef TOLLBRIDGE_SANDBOX_SEARCH_CSV_REPORT_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_CSV_REPORT_H_

#include <string>
#include <string_view>

#include "sandbox/core/model.h"

/// The CSV report (docs/interface.md#report-columns): RFC 4180, UTF-8, a header row, then a row for
/// each transaction with the fields of its order.
namespace tollbridge::sandbox {

/// Appends a field, in quotes where commas, quotes, line ends or white space at an end ask for
/// them.
///
/// A value that begins with = + - @ stays as it is, although a spreadsheet may take it for a
/// formula: programs read this report, and what they read must be what the merchant stored.
void AppendCsvField(std::string_view value, std::string* out);

/// The documented columns in the documented order, then further ones.
void AppendCsvHeader(std::string* out);

/// One row for each transaction; an order without any has one row, whose transaction columns are
/// empty. Amounts are in the smallest unit of their currency, but for
/// transaction.amount_with_decimals. Settlement and fee (see Fee) are there for completed
/// transactions only: all of the amount settles in its own currency. Flags have spaces between
/// them.
void AppendCsvRows(const Order& order, std::string* out);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_CSV_REPORT_H_
