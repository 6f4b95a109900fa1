-- Closes up to ARGV[4] RUNNING operations whose lease has ended (operations.md, rule 9).
-- Compares: state and lease end of each record; an index entry that does not fit its record is put right.
-- Answers {'ok', id, rpc, state, id, rpc, state, ...}, or {'epoch'} when the memory was lost.
if not epoch_id() then return {'epoch'} end

local now = now_ms()
local answer = {'ok'}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', due_key, '-inf', now, 'LIMIT', 0, ARGV[4])) do
  local key = record_key(id)
  local found = redis.call('HMGET', key, 's', 'l', 'r')
  if found[1] ~= 'R' then
    redis.call('ZREM', due_key, id)
    if not found[1] then redis.call('ZREM', index_key('R'), id) end
  elseif tonumber(found[2]) > now then
    redis.call('ZADD', due_key, found[2], id)
  else
    table.insert(answer, id)
    table.insert(answer, found[3])
    table.insert(answer, expire(id, key, now))
  end
end
return answer
