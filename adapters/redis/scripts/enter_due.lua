-- Enters a family in the due queue, or moves it to the earlier of its time and the one given. ARGV: <project>, family,
-- that time (ms). Always to a time that nobody has seen, so that who takes out what it saw leaves this one in: an
-- earlier one becomes a millisecond later. How often it was taken (take_due.lua) stays.
local current = tonumber(redis.call('ZSCORE', due, family))
local time = current and current < tonumber(ARGV[3]) + 1 and current + 1 or tonumber(ARGV[3])
return redis.call('ZADD', due, string.format('%.17g', time), family)
