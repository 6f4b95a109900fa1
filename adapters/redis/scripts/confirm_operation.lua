-- Confirms that an operation may run, as another identity than the one that asked (docs/design/operations.md#rule-19).
-- Compares: what was asked for, by its id; the names of both certificates; that it is not over; the state.
-- Sets, unless `validate_only`: who confirmed. The state stays: the operation runs when its key comes again.
-- Answers {'confirmed', field, value, ...}, also where it was confirmed before, {'over'}, {'same_identity'},
-- {'unreadable'}, or {'doubtful'} or {'absent'} as read_operation.lua.
local id, now = arg.id, now_ms()
local record = load(id)
if not record then
  if redis.call('HEXISTS', tombstone_key(id), id) == 1 then return {'over'} end
  local epoch = read_epoch()
  return {(not epoch or epoch.doubtful_until > now) and 'doubtful' or 'absent'}
end
if record.s == '?' then return {'unreadable'} end
local refused = refuse_confirmation(record, now)
if refused then return {refused} end
local approval = record.ap
if not approval.c and (approval.to or record.s ~= 'A') then return {'over'} end
if not approval.c and arg.validate_only == '' then
  approval.c, approval.ct = arg.who, now
  add_transition(id, record, 'A', 'A', now, arg.who, arg.evidence)
  save(id, record)
end
local fields = read_record(id)
table.insert(fields, 1, 'confirmed')
return fields
