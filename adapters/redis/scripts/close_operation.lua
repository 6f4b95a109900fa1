-- Closes an operation by a person's decision, and releases its gate (docs/design/operations.md#rule-8). With `second`
-- `ask` nothing is closed, and what would be is written down for another identity to confirm; with `confirm` that is
-- carried out (#rule-19).
-- Compares: the state, which is NEEDS_REVIEW, or UNKNOWN for which the quarantine is over; the number of the last
-- transition with `last_transition`, if that is not 0. With `validate_only` that is all. To confirm: what was asked for, by its id; the
-- names of both certificates; that it is not over, and that there was no transition since.
-- Sets: DONE with its outcome (one that a late effect left stays where none is given) and the order of that, or
-- NOT_EXECUTED without any; the order's entry. To ask: `ap`, and a transition that changes no state.
-- Answers {'closed', field, value, ...}, also where it was confirmed before; {'asked', field, value, ...}, {'over'},
-- {'same_identity'}, {'not_in_review'}, {'changed'}, {'quarantine', ms until it is over}, {'unreadable'}, or {'doubtful'} or {'absent'} as read_operation.lua.
local id, now = arg.id, now_ms()
local record = load(id)
local state = record and record.s
if not state then
  if redis.call('HEXISTS', tombstone_key(id), id) == 1 then return {'not_in_review'} end
  local epoch = read_epoch()
  return {(not epoch or epoch.doubtful_until > now) and 'doubtful' or 'absent'}
end
if state == '?' then return {'unreadable'} end

local function shown(word)
  local fields = read_record(id)
  table.insert(fields, 1, word)
  return fields
end

local approval = record.ap
if arg.second == 'confirm' then
  local refused = refuse_confirmation(record, now)
  if refused then return {refused} end
  if approval.to ~= arg.to then return {'over'} end
  if approval.c then return shown('closed') end
  if approval.n ~= record.n then return {'changed'} end
elseif arg.second == 'ask' and approval and approval.n == record.n and approval.to == arg.to and
    approval.ns == arg.names and approval.e == arg.approval_reason and approval.l > now then
  return shown('asked')  -- the same again, after an answer that got lost
end
if state == 'U' then
  local epoch, last = read_epoch(), last_step(record)
  local sent_at = last and last[2] or record.e
  -- A later attempt may have gone with the memory, or have run in another store.
  if epoch then sent_at = math.max(sent_at, doubted_since(epoch)) end
  local left = sent_at + tonumber(arg.quarantine) - now
  if left > 0 then return {'quarantine', text(left)} end
elseif state ~= 'V' then
  return {'not_in_review'}
end
if arg.last_transition ~= '0' and tonumber(arg.last_transition) ~= record.n then return {'changed'} end

if arg.validate_only ~= '' then return shown('closed') end
if arg.second == 'ask' then
  record.ap = ask(now)
  record.ap.to = arg.to
  add_transition(id, record, state, state, now, arg.owner, arg.evidence, nil, arg.who)
  record.ap.n = record.n
  save(id, record)
  return shown('asked')
end
if arg.second == 'confirm' then approval.c, approval.ct = arg.who, now end

if arg.to == 'N' then
  record.z, record.kn, record.np = nil, nil, 1
else
  keep_outcome(record)
  -- An order that evidence shows and the record does not name would be judged an orphan.
  if arg.order ~= '' then record.o = arg.order end
end
record.lf = nil
if last_step(record) then set_last_step(record, arg.to == 'D' and 'D' or 'N') end
enter_state(id, record, {to = arg.to, now = now, owner = arg.owner, evidence = arg.evidence})
-- Whoever closes it leaves with the order what its creating call sent.
if arg.entry_capture_mode == '' then arg.entry_capture_mode = record.c or '' end
if arg.entry_traceparent == '' then arg.entry_traceparent = record.x or '' end
enter_order(now)
return shown('closed')
