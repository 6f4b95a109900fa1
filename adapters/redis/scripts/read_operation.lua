-- Reads a record. Answers {'found', field, value, ...}, or {'doubtful'} or {'absent'} when there is none: after memory
-- was lost that does not mean that there was none (docs/design/operations.md#rule-12).
local record = read_record(arg.id)
if record then
  table.insert(record, 1, 'found')
  return record
end
local epoch = read_epoch()
return {(not epoch or epoch.doubtful_until > now_ms()) and 'doubtful' or 'absent'}
