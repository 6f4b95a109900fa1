-- Saves the progress of a project's search sweep. ARGV: <project>, token, length of the new lease (ms; 0
-- gives it up), progress, the key of the store's epoch, the epoch that it was taken in. Compares: the token, and the
-- epoch: what was written for the pages since may be gone with a store that went back. A lease that is over and that
-- nobody took since is still good. Answers 1, or 0 when it is another's or nobody's, or was taken in another epoch.
local key, token, lease = ARGV[1] .. 'sweep', ARGV[2], tonumber(ARGV[3])
if redis.call('HGET', key, 'k') ~= token then return 0 end
if (redis.call('HGET', ARGV[5], 'id') or '') ~= ARGV[6] then return 0 end
redis.call('HSET', key, 'p', ARGV[4])
if lease == 0 then
  redis.call('HDEL', key, 'k', 'l')
else
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  redis.call('HSET', key, 'l', string.format('%.0f', now + lease))
end
return 1
