-- Takes a family out of the due queue. ARGV: key prefix, family, the due time that was seen (ms).
-- Compares: the due time with what was seen, so that one which an operation has set meanwhile stays.
local due, family, seen_due = ARGV[1] .. 'due', ARGV[2], tonumber(ARGV[3])
if tonumber(redis.call('ZSCORE', due, family) or -1) ~= seen_due then return 0 end
return redis.call('ZREM', due, family)
