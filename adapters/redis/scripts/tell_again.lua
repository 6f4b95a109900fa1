-- Asks that what was told of a family is told again. ARGV: <project>, family, the request, due time (ms), retention (ms).
-- A request is three words: since when and until when (ms; empty for no end), and 'begun' once its stream has begun.
-- Compares: that there is a snapshot; an earlier request, which stays if it goes as far in both directions. Else one takes
-- its place that goes as far as both: nobody asks a second time for what the earlier one was to have told. In either
-- case the family is due.
-- Answers 'asked', 'before' or 'unknown'.
local key = prefix .. 'f:' .. family
if not redis.call('HGET', key, 'v') and not find_settled(family) then return 'unknown' end

local ENDS = '^(%-?%d+) (%-?%d*) '
local function is_after(to, other) return (tonumber(to) or math.huge) > (tonumber(other) or math.huge) end

local request, asked = ARGV[3], redis.call('HGET', key, 'a')
if asked then
  local from, to = string.match(request, ENDS)
  local from_before, to_before = string.match(asked, ENDS)
  if tonumber(from_before) <= tonumber(from) and not is_after(to, to_before) then
    -- The due queue has let go of a family whose members were not found for a day.
    redis.call('ZADD', due, 'LT', ARGV[4], family)
    return 'before'
  end
  if tonumber(from_before) < tonumber(from) then from = from_before end
  if is_after(to_before, to) then to = to_before end
  request = from .. ' ' .. to .. ' '
end
redis.call('HSET', key, 'a', request)
-- Of a settled family there may have been no key.
redis.call('PEXPIRE', key, ARGV[5])
redis.call('ZADD', due, 'LT', ARGV[4], family)
return 'asked'
