-- Keeps when an order that was never read was first noticed, until it is read or leaves the due queue. ARGV: <project>,
-- family, time (ms), 1 where somebody has seen the order, how long it is kept (ms).
-- Compares: that nothing tells it already: a snapshot, a root, the operation that made it. The earliest time stays.
-- Answers 1, or 0 when it kept nothing.
local key, at, seen = prefix .. 'f:' .. family, tonumber(ARGV[3]), ARGV[4] == '1'
local told = redis.call('HMGET', key, 'v', 'r', 'n', 'h')
if told[1] or told[2] or told[3] or find_settled(family) then return 0 end
if told[4] then
  local time, mark = string.match(told[4], '^(%-?%d+)(%+?)$')
  at, seen = math.min(at, tonumber(time)), seen or mark == '+'
end
redis.call('HSET', key, 'h', string.format('%.0f', at) .. (seen and '+' or ''))
redis.call('PEXPIRE', key, ARGV[5], 'NX')
return 1
