-- Notes that the transitions up to `number` are on the operations topic. Compares: the numbers; a lower one than before
-- changes nothing. Sets: what is drained; drops all but the last transitions; a closed record that is drained expires.
-- Goes on without memory.
local id, key = arg.id, record_key(arg.id)
redis.call('ZREM', draining_key, id)
local found = redis.call('HMGET', key, 'tn', 'td', 's')
if not found[3] then
  redis.call('ZREM', undrained_key, id)
  return 0
end
local last, before = number_of(found[1]), number_of(found[2])
local number = math.min(tonumber(arg.number), last)
if number > before then
  for n = before + 1, math.min(number, last - KEPT_TRANSITIONS) do redis.call('HDEL', key, 't' .. n) end
  redis.call('HSET', key, 'td', number)
else
  number = before
end
if number < last then
  local time = string.match(redis.call('HGET', key, 't' .. (number + 1)) or '', '^..(%d+)')
  if time then redis.call('ZADD', undrained_key, 'XX', time, id) end
  return 1
end
redis.call('ZREM', undrained_key, id)
if found[3] == 'D' or found[3] == 'N' then redis.call('PEXPIRE', key, closed_retention) end
return 1
