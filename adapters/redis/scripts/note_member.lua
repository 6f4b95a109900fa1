-- Notes where the root of a member is, and takes the member out of the due queue. ARGV: key prefix, member (16 bytes of
-- its id, project's name), 16 bytes of the root, the due time that was seen (ms; empty for none), retention (ms).
-- Compares: that the member has no snapshot of its own, else it stays a root; the due time with what was seen, so that
-- one which an operation has set meanwhile stays.
-- Answers 1, or 0 when it is a root.
local prefix, member, root, seen_due, retention = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local key, due = prefix .. 'f:' .. member, prefix .. 'due'
if redis.call('HGET', key, 'v') then return 0 end
redis.call('HSET', key, 'r', root)
redis.call('PEXPIRE', key, retention)
if seen_due ~= '' and tonumber(redis.call('ZSCORE', due, member) or -1) == tonumber(seen_due) then
  redis.call('ZREM', due, member)
end
return 1
