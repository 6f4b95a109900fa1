-- Notes where the root of a member is, and takes the member out of the due queue. ARGV: <project>, the member as a
-- family, 16 bytes of the root, the due time that was seen (ms; empty for none), retention (ms).
-- Compares: that the member has no snapshot of its own, else it stays a root; the due time with what was seen.
-- Answers 1, or 0 when it is a root.
local root, seen_due, retention = ARGV[3], ARGV[4], ARGV[5]
if not note_root(family, root, retention) then return 0 end
if due_as_seen(seen_due) then redis.call('ZREM', due, family) end
return 1
