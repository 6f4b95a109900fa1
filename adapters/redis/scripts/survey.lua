-- Counts what there is, for metrics. Reads only.
-- Answers {running, unknown, age of the oldest in UNKNOWN or NEEDS_REVIEW in ms, age of the oldest transition that is
-- not drained in ms, {review reason, count, ...}}.
local now = now_ms()
local function age(key)
  local oldest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  return oldest[2] and math.max(0, now - tonumber(oldest[2])) or 0
end
return {redis.call('ZCARD', index_key('R')), redis.call('ZCARD', index_key('U')),
        math.max(age(index_key('U')), age(index_key('V'))), age(undrained_key), redis.call('HGETALL', reviews_key)}
