-- Takes the search sweep of a project, unless another has it. ARGV: <project>, token, length of the lease (ms),
-- the key of the store's epoch.
-- Sweep, hash <project>sweep: p progress, k token of who has it, l end of the lease, ms of Redis' clock.
-- A lease that ends later than two of ours from now was begun before the clock went back, and is over.
-- Answers {1, progress, epoch}, the progress nil where there is none; {0} when it is another's.
local key, token, lease = ARGV[1] .. 'sweep', ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local held = redis.call('HMGET', key, 'k', 'l')
if held[1] and held[1] ~= token then
  local left = tonumber(held[2]) - now
  if left > 0 and left <= 2 * lease then return {0} end
end
redis.call('HSET', key, 'k', token, 'l', string.format('%.0f', now + lease))
return {1, redis.call('HGET', key, 'p'), redis.call('HGET', ARGV[4], 'id') or ''}
