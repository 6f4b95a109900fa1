-- Closes an operation by a person's decision, and releases its gate (docs/design/operations.md#rule-8).
-- Compares: the state, which is NEEDS_REVIEW, or UNKNOWN for which the quarantine is over.
-- Sets: DONE with its outcome (one that a late effect left stays where none is given), or NOT_EXECUTED without any; the
-- order's entry. Answers {'closed', field, value, ...}, {'not_in_review'}, {'quarantine', ms until it is over}, or
-- {'doubtful'} or {'absent'} as read_operation.lua.
local id, key, now = arg.id, record_key(arg.id), now_ms()
local state = redis.call('HGET', key, 's')
if not state then
  local epoch = read_epoch()
  return {(not epoch or epoch.doubtful_until > now) and 'doubtful' or 'absent'}
end
if state == 'U' then
  local epoch, found = read_epoch(), redis.call('HMGET', key, 'e', 'h')
  local sent_at = tonumber(string.match(last_step(key) or '', '^.(%d+)') or found[1])
  -- A later attempt may have gone with the memory.
  if epoch and found[2] ~= epoch.short then sent_at = math.max(sent_at, epoch.since) end
  local left = sent_at + tonumber(arg.quarantine) - now
  if left > 0 then return {'quarantine', text(left)} end
elseif state ~= 'V' then
  return {'not_in_review'}
end

redis.call('HSET', key, 'e', text(now))
if arg.to == 'N' then
  redis.call('HDEL', key, 'z', 'kn')
  redis.call('HSET', key, 'np', '1')
else
  keep_outcome(key)
end
redis.call('HDEL', key, 'lf')
if last_step(key) then set_last_step(key, arg.to == 'D' and 'D' or 'N') end
enter_state({id = id, key = key, from = state, to = arg.to, now = now, owner = arg.owner, evidence = arg.evidence})
-- Whoever closes it leaves with the order what its creating call sent.
local sent = redis.call('HMGET', key, 'c', 'x')
if arg.entry_capture_mode == '' then arg.entry_capture_mode = sent[1] or '' end
if arg.entry_traceparent == '' then arg.entry_traceparent = sent[2] or '' end
enter_order(now)
local record = read_record(id)
table.insert(record, 1, 'closed')
return record
