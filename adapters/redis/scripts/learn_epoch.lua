-- Reads the epoch for a new connection, and begins a new one where there is none (memory was lost), where the server is
-- another one than the epoch names (restart, failover), where it is the same and was promoted since (a failover to
-- another and back, in whose time nobody came by), or where `last`, the epoch that this connection learned last, is
-- none that this server had (it was cut off, another took its place for a while, and it serves again):
-- docs/design/operations.md#rule-12.
-- `known_only`: none where there is none.
-- Compares: the epoch's run id with the server's, and its replication id. Sets: a new epoch, doubtful from now on; never
-- shorter than before. Answers {epoch id, now, which of the projects are not on the list, why a new epoch began; empty
-- when none did}, or 'layout' for a store that has another version of the keys.
-- Some hundred of them: who knows an older one doubts once more.
local EARLIER_BYTES = 4096
local now = now_ms()
local found = redis.call('HMGET', epoch_key, 'id', 'run', 'until', 'layout', 'history', 'cause', 'earlier')
local id = found[1]
if id and found[4] ~= arg.layout then return 'layout' end
if not id and arg.known_only == '1' then return {'', now, {}, ''} end
local cause, run, history = change_of_server(found[2], found[5])
-- The epochs before this one, newest first, and what other connections learned elsewhere: each says it once.
local earlier = found[7] or ''
local learned_elsewhere = arg.last ~= '' and arg.last ~= id and not string.find(earlier, arg.last, 1, true)
if learned_elsewhere then
  earlier = arg.last .. ' ' .. earlier
  cause = cause or 'failover'
end
if not id then cause = 'memory_lost' end
if cause then
  if id then earlier = id .. ' ' .. earlier end
  local doubt = tonumber(id and arg.failover_doubt or arg.memory_lost_doubt)
  local kept = arg.id .. ' ' .. cause
  if tonumber(found[3] or 0) > now + doubt then
    local of, before, lasting = string.match(found[6] or '', '^(%S+) (%S+) ?(%S*)$')
    kept = kept .. ' ' .. (of == id and (lasting ~= '' and lasting or before) or 'unknown')
  end
  id = arg.id
  redis.call('HSET', epoch_key, 'id', id, 'layout', arg.layout, 'run', run, 'since', text(now),
             'until', text(math.max(found[3] or 0, now + doubt)), 'history', history, 'cause', kept,
             'earlier', string.sub(earlier, 1, EARLIER_BYTES))
elseif found[5] ~= history then
  redis.call('HSET', epoch_key, 'history', history)
end
local unlisted = {}
for i = 1, tonumber(arg.projects) do
  if not is_listed(redis.call('HGET', epoch_key, arg['project' .. i])) then unlisted[#unlisted + 1] = i end
end
return {id, now, unlisted, cause or ''}
