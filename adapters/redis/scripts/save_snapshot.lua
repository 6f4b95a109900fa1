-- Saves a snapshot with its outbox and the next due time, or nothing (docs/design/events.md#step-3). ARGV: <project>,
-- family, expected version, outbox, retention, next due time, seen due time (ms; empty for none), then fields and
-- values of the family's hash by turns: s, o and one a member.
-- Compares: the version; that no outbox is pending; the due time with what the reader saw.
-- Of a member that is new to the family: notes where its root is, unless it has a snapshot of its own.
-- Tells the channel <project>changes of what was saved: version and family, and the same of each changed member.
-- Answers 'saved', 'version_lost' or 'outbox_pending'.
local expected, outbox, retention, next_due, seen_due = tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local key, outbox_key = prefix .. 'f:' .. family, prefix .. 'x:' .. family
local FIRST_FIELD, ID_BYTES = 8, 16

if tonumber(redis.call('HGET', key, 'v') or 0) ~= expected then return 'version_lost' end
if redis.call('EXISTS', outbox_key) == 1 then return 'outbox_pending' end

-- A failed announcement undoes nothing: who listens looks for himself too (ports/order_changes.h).
local function announce(changed)
  redis.pcall('PUBLISH', prefix .. 'changes', (expected + 1) .. ' ' .. changed)
end

redis.call('HSET', key, 'v', expected + 1)
for i = FIRST_FIELD, #ARGV, 2 do
  local field, value = ARGV[i], ARGV[i + 1]
  local known = redis.call('HGET', key, field)
  if known ~= value then
    redis.call('HSET', key, field, value)
    if #field == ID_BYTES then
      if not known then note_root(field, family, retention) end
      announce(field)
    end
  end
end
redis.call('HDEL', key, 'r')
redis.call('PEXPIRE', key, retention)
if outbox ~= '' then redis.call('HSET', outbox_key, 'v', expected + 1, 'o', outbox) end
if due_as_seen(seen_due) then
  if next_due == '' then
    redis.call('ZREM', due, family)
  else
    redis.call('ZADD', due, next_due, family)
  end
end
announce(family)
return 'saved'
