-- Says when a family is due next. ARGV: <project>, family, due time, the due time that was seen (ms; empty for none).
-- Compares: the due time with what was seen. Where another has set one meanwhile, the earlier of both counts.
if due_as_seen(ARGV[4]) then return redis.call('ZADD', due, ARGV[3], family) end
return redis.call('ZADD', due, 'LT', ARGV[3], family)
