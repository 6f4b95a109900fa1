-- Takes up to `limit` operations with transitions that are not on the operations topic, oldest first, for `lease` ms.
-- Goes on without memory, since draining is what lets records expire.
-- Answers {{id, rpc, review_of, number of the first, transition, ...}, ...}.
local now = now_ms()
redis.call('ZREMRANGEBYSCORE', draining_key, '-inf', text(now))
local limit, answer = tonumber(arg.limit), {}
local scan = limit + redis.call('ZCARD', draining_key)
for _, id in ipairs(redis.call('ZRANGE', undrained_key, 0, scan - 1)) do
  if #answer == limit then break end
  if not redis.call('ZSCORE', draining_key, id) then
    local key = record_key(id)
    local found = redis.call('HMGET', key, 'tn', 'td', 'r', 'ro')
    local first, last = number_of(found[2]) + 1, number_of(found[1])
    if first > last then
      redis.call('ZREM', undrained_key, id)
    else
      local record = {id, found[3] or '', found[4] or '', first}
      for n = first, last do record[#record + 1] = redis.call('HGET', key, 't' .. n) or '' end
      redis.call('ZADD', draining_key, text(now + tonumber(arg.lease)), id)
      answer[#answer + 1] = record
    end
  end
end
return answer
