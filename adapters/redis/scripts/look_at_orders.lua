-- What is kept of orders, for those who only look. ARGV: key prefix, then families (16 bytes of the order, project's
-- name), each of which may be a root. See load_family.lua for the keys.
-- Answers for each, one after the other: snapshot, due time, whether an outbox is pending (1 or 0); nil where there is
-- none.
local prefix = ARGV[1]
local answer = {}
for i = 2, #ARGV do
  local family = ARGV[i]
  table.insert(answer, redis.call('HGET', prefix .. 'f:' .. family, 's'))
  table.insert(answer, redis.call('ZSCORE', prefix .. 'due', family))
  table.insert(answer, redis.call('EXISTS', prefix .. 'x:' .. family))
end
return answer
