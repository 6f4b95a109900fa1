-- Takes a family out of the due queue, and drops when it was noticed. ARGV: <project>, family, the due time that was
-- seen (ms).
-- Compares: the due time with what was seen.
if not due_as_seen(ARGV[3]) then return 0 end
redis.call('HDEL', prefix .. 'f:' .. family, 'h')
return redis.call('ZREM', due, family)
