-- Saves the progress of a project's search sweep. ARGV: <project>, token, length of the new lease (ms; 0
-- gives it up), progress. Compares: the token. A lease that is over and that nobody took since is still good.
-- Answers 1, or 0 when it is another's or nobody's.
local key, token, lease = ARGV[1] .. 'sweep', ARGV[2], tonumber(ARGV[3])
if redis.call('HGET', key, 'k') ~= token then return 0 end
redis.call('HSET', key, 'p', ARGV[4])
if lease == 0 then
  redis.call('HDEL', key, 'k', 'l')
else
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  redis.call('HSET', key, 'l', string.format('%.0f', now + lease))
end
return 1
