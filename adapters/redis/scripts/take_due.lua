-- Takes up to ARGV[4] families due at ARGV[2] (ms), oldest first, and moves each to ARGV[3] (ms), so that a taker
-- that dies loses nothing. Answers {family, due, family, due, ...}.
local due = ARGV[1] .. 'due'
local taken = redis.call('ZRANGEBYSCORE', due, '-inf', ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[4])
for i = 1, #taken, 2 do redis.call('ZADD', due, ARGV[3], taken[i]) end
return taken
