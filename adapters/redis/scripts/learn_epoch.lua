-- Reads the epoch for a new connection, and begins a new one where there is none (memory was lost) or where the server
-- is another one than the epoch names (restart, failover): docs/design/operations.md#rule-12.
-- Compares: the epoch's run id with the server's. Sets: a new epoch, doubtful from now on; never shorter than before.
-- Answers {epoch id, doubtful for so many ms from now on, since so many ms, now}, or 'layout' for a store that has
-- another version of the keys.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local now = now_ms()
local found = redis.call('HMGET', epoch_key, 'id', 'run', 'since', 'until', 'layout')
local id, since, doubtful_until = found[1], tonumber(found[3] or 0), tonumber(found[4] or 0)
if id and found[5] ~= arg.layout then return 'layout' end
if not id or found[2] ~= run then
  local doubt = id and arg.failover_doubt or arg.memory_lost_doubt
  id, since, doubtful_until = arg.id, now, math.max(doubtful_until, now + tonumber(doubt))
  redis.call('HSET', epoch_key, 'id', id, 'layout', arg.layout, 'run', run, 'since', text(since),
             'until', text(doubtful_until))
end
return {id, math.max(0, doubtful_until - now), now - since, now}
