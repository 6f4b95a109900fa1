-- Reads the epoch for a new connection, and begins a new one where there is none (memory was lost) or where the server
-- is another one than the epoch names (restart, failover): docs/design/operations.md#rule-12.
-- Compares: the epoch's run id with the server's. Sets: a new epoch, doubtful from now on; never shorter than before.
-- Answers {epoch id, now, which of the projects are not on the list}, or 'layout' for a store that has another version
-- of the keys.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local now = now_ms()
local found = redis.call('HMGET', epoch_key, 'id', 'run', 'until', 'layout')
local id = found[1]
if id and found[4] ~= arg.layout then return 'layout' end
if not id or found[2] ~= run then
  local doubt = id and arg.failover_doubt or arg.memory_lost_doubt
  id = arg.id
  redis.call('HSET', epoch_key, 'id', id, 'layout', arg.layout, 'run', run, 'since', text(now),
             'until', text(math.max(found[3] or 0, now + tonumber(doubt))))
end
local unlisted = {}
for i = 1, tonumber(arg.projects) do
  if not is_listed(redis.call('HGET', epoch_key, arg['project' .. i])) then unlisted[#unlisted + 1] = i end
end
return {id, now, unlisted}
