-- Saves a snapshot with its outbox and the next due time, or nothing (events.md, Reader, step 3).
-- Compares: the version; that no outbox is pending; the due time with what the reader saw, and where an operation
-- has set another meanwhile, that one stays.
-- Tells the channel <prefix>changes of what was saved: version and family.
-- Answers 'saved', 'version_lost' or 'outbox_pending'.
local prefix, family = ARGV[1], ARGV[2]
local expected, snapshot, outbox, retention = tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6]
local next_due, seen_due = ARGV[7], ARGV[8]  -- ms; empty for none
local key, outbox_key, due = prefix .. 'f:' .. family, prefix .. 'x:' .. family, prefix .. 'due'

if tonumber(redis.call('HGET', key, 'v') or 0) ~= expected then return 'version_lost' end
if redis.call('EXISTS', outbox_key) == 1 then return 'outbox_pending' end

redis.call('HSET', key, 'v', expected + 1, 's', snapshot)
redis.call('PEXPIRE', key, retention)
if outbox ~= '' then redis.call('HSET', outbox_key, 'v', expected + 1, 'o', outbox) end
if tonumber(redis.call('ZSCORE', due, family) or -1) == tonumber(seen_due ~= '' and seen_due or -1) then
  if next_due == '' then
    redis.call('ZREM', due, family)
  else
    redis.call('ZADD', due, next_due, family)
  end
end
-- A failed announcement undoes nothing: who listens looks for himself too (ports/order_changes.h).
redis.pcall('PUBLISH', prefix .. 'changes', (expected + 1) .. ' ' .. family)
return 'saved'
