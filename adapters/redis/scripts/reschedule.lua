-- Says when an operation that was looked at without a decision is due again.
-- Compares: state, epoch and attempt, and the resolver's token. Sets: misses, one more look, the due time; without one
-- NOT_EXECUTED leaves the queue for good. Answers 1, or 0 when another has moved it on.
local id, key = arg.id, record_key(arg.id)
local found = redis.call('HMGET', key, 's', 'h', 'a', 'v', 'ps', 'o')
if found[1] ~= arg.state or found[2] ~= arg.epoch or found[3] ~= arg.attempt or found[4] ~= arg.token then return 0 end
local next_look, now = tonumber(arg.next_look), now_ms()
redis.call('HSET', key, 'm', arg.misses, 'ps', tonumber(found[5] or 0) + 1)
if arg.target_missing == '1' then redis.call('HSET', key, 'mt', arg.misses) else redis.call('HDEL', key, 'mt') end
redis.call('HDEL', key, 'v', 'vl')
if next_look < 0 and arg.state == 'N' then
  redis.call('HDEL', key, 'ab')
  redis.call('ZREM', due_key, id)
else
  redis.call('ZADD', due_key, text(now + math.max(0, next_look)), id)
end
return 1
