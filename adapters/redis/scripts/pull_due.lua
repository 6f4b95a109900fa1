-- Makes UNKNOWN operations due now: those below rank `stop` of the index, `count` at most, the last of them first, so
-- that what leaves the index meanwhile hides none. Compares: that no resolver has the operation under a lease.
-- Answers the rank to go on below; 0 at the end.
local now = now_ms()
local stop = tonumber(arg.stop)
if stop < 0 then stop = redis.call('ZCARD', index_key('U')) end
local start = math.max(0, stop - tonumber(arg.count))
if stop == 0 then return 0 end
for _, id in ipairs(redis.call('ZRANGE', index_key('U'), start, stop - 1)) do
  local record = load(id)
  if record and (record.vl or 0) <= now then redis.call('ZADD', due_key(), text(now), id) end
end
return start
