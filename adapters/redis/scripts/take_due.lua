-- Takes families due at ARGV[2] (ms), up to ARGV[3] of them, oldest first, and moves each, so that a taker that dies loses
-- nothing: to ARGV[2] and one of ARGV[4 ...] (ms), the first, and one further on each time that it was taken before.
-- A due time is in whole milliseconds. What is behind the point counts, in 1024ths, how often the family was taken since
-- somebody else set its time: who compares times passes over it (family.lua).
-- A family whose outbox has been pending for longer than the first move is due within one, unless it was taken: a store that
-- went back has an outbox again that was published, of a family that nobody may have a reason to read, and what it holds
-- counts as not told.
-- Answers {family, due, family, due, ...}.
local due, now, FIRST_MOVE, MOST = ARGV[1] .. 'due', tonumber(ARGV[2]), 4, 1023
local soon = now + tonumber(ARGV[FIRST_MOVE])
local waiting = string.format('%.0f', now - tonumber(ARGV[FIRST_MOVE]))
for _, family in ipairs(redis.call('ZRANGEBYSCORE', ARGV[1] .. 'pending', '-inf', waiting, 'LIMIT', 0, ARGV[3])) do
  local time = tonumber(redis.call('ZSCORE', due, family) or soon + 1)
  if time > soon and time % 1 == 0 then redis.call('ZADD', due, string.format('%.0f', soon), family) end
end
local ends = string.format('(%.0f', now + 1)
local taken = redis.call('ZRANGEBYSCORE', due, '-inf', ends, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
for i = 1, #taken, 2 do
  local before = tonumber(taken[i + 1]) % 1 * 1024
  local time = now + tonumber(ARGV[math.min(FIRST_MOVE + before, #ARGV)])
  redis.call('ZADD', due, string.format('%.17g', time + math.min(before + 1, MOST) / 1024), taken[i])
end
return taken
