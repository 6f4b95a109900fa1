-- Counts what there is, for metrics. Reads only.
-- Answers {running, unknown, age of the oldest in UNKNOWN in ms, in NEEDS_REVIEW in ms, age of the oldest transition
-- that is not drained in ms, doubtful for ms from now on, {review reason, count, ...}, awaiting approval}.
local now = now_ms()
local function age(key)
  local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  return oldest[2] and math.max(0, now - tonumber(oldest[2])) or 0
end
local first = redis.call('XRANGE', transitions_key, '-', '+', 'COUNT', 1)[1]
local entered = first and tonumber(string.match(first[2][4] or '', '^%d+\n[^\n]*\n..(%d+)') or '')
local epoch = read_epoch()
return {redis.call('ZCARD', index_key('R')), redis.call('ZCARD', index_key('U')),
        age(index_key('U')), age(index_key('V')), entered and math.max(0, now - entered) or 0,
        epoch and math.max(0, epoch.doubtful_until - now) or 0, redis.call('HGETALL', reviews_key()),
        redis.call('ZCARD', index_key('A'))}
