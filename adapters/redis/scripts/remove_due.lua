-- Takes a family out of the due queue. ARGV: <project>, family, the due time that was seen (ms).
-- Compares: the due time with what was seen.
if not due_as_seen(ARGV[3]) then return 0 end
return redis.call('ZREM', due, family)
