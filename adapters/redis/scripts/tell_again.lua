-- Asks that what was told of a family is told again. ARGV: <project>, family, the request, due time (ms), retention (ms).
-- A request is three words: since when and until when (ms; empty for no end), and 'begun' once its stream has begun.
-- Compares: that there is a snapshot; an earlier request, which stays if it goes as far in both directions.
-- Answers 'asked', 'before' or 'unknown'.
local key = prefix .. 'f:' .. family
if not redis.call('HGET', key, 'v') and not find_settled(family) then return 'unknown' end

local function ends_of(request)
  local from, to = string.match(request, '^(%-?%d+) (%-?%d*) ')
  return tonumber(from), tonumber(to) or math.huge
end

local asked = redis.call('HGET', key, 'a')
if asked then
  local from, to = ends_of(ARGV[3])
  local from_before, to_before = ends_of(asked)
  if from_before <= from and to_before >= to then return 'before' end
end
redis.call('HSET', key, 'a', ARGV[3])
-- Of a settled family there may have been no key.
redis.call('PEXPIRE', key, ARGV[5])
redis.call('ZADD', due, 'LT', ARGV[4], family)
return 'asked'
