-- Saves a snapshot with its outbox and the next due time, or nothing (docs/design/events.md#step-3). ARGV: <project>,
-- family, expected version, outbox, retention, next due time, seen due time (ms; empty for none), what stays of it when
-- it is settled (empty: it is not), the key of the store's epoch, the epoch that it was loaded in, what was asked to be
-- told again and what is left of it (tell_again.lua; empty for nothing), when what the outbox holds was noticed (ms), the
-- capture mode that was seen and '1' for an own checkout (empty for none), then fields and values of the family's hash by
-- turns: s, o and one a member.
-- Compares: the epoch, since a store that went back has the version again; the version; what operations have said of the
-- order with what the reader saw, since its kind and its end were decided by that; that no outbox is pending; the due
-- time with what the reader saw; what was asked to be told again: another request stays, and the due time with it.
-- Settles the family if it may be, and no operation has made it due meanwhile or is the only one to know of it.
-- Of a member that is new to the family: notes where its root is, unless it has a snapshot of its own.
-- Notes the outbox in the project's index of those that are pending (clear_outbox.lua, pending_outboxes.lua).
-- Tells the channel <project>changes of what was saved: version and family, and the same of each changed member.
-- Answers 'saved', 'version_lost' or 'outbox_pending'.
local expected, outbox, retention, next_due, seen_due = tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local settled, epoch_key, epoch, seen_again, next_again = ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12]
local key, outbox_key = prefix .. 'f:' .. family, prefix .. 'x:' .. family
local noticed_at = ARGV[13]
local capture_mode, own_checkout = ARGV[14], ARGV[15]
local FIRST_FIELD, ID_BYTES = 16, 16

if epoch_of_families(epoch_key, prefix) ~= epoch then return 'version_lost' end

local version, was_settled, settled_in = redis.call('HGET', key, 'v')
if not version then
  was_settled, settled_in = find_settled(family)
  version = was_settled and version_of_settled(was_settled)
end
if tonumber(version or 0) ~= expected then return 'version_lost' end
local known = redis.call('HMGET', key, 'c', 'w')
if (known[1] or '') ~= capture_mode or (known[2] or '') ~= own_checkout then return 'version_lost' end
if redis.call('EXISTS', outbox_key) == 1 then return 'outbox_pending' end

-- A failed announcement undoes nothing: who listens looks for himself too (ports/order_changes.h).
local function announce(changed)
  redis.pcall('PUBLISH', prefix .. 'changes', (expected + 1) .. ' ' .. changed)
end

-- Of the operation that made the order the family alone knows (record.lua).
local function is_known_here_alone()
  local maker = redis.call('HGET', key, 'i')
  return maker and redis.call('EXISTS', prefix .. 'o:' .. maker) == 1
end
local again_as_seen = (redis.call('HGET', key, 'a') or '') == seen_again
local may_set_due = again_as_seen and due_as_seen(seen_due)
if settled ~= '' and may_set_due and not is_known_here_alone() then
  put_settled(family, settled, retention)
  redis.call('DEL', key)
  redis.call('ZREM', due, family)
  announce(family)
  return 'saved'
end

redis.call('HSET', key, 'v', expected + 1)
if was_settled then
  drop_settled(family, settled_in)
  note_left(family)
end
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
redis.call('HDEL', key, 'r', 'h')
if again_as_seen and next_again ~= seen_again then
  if next_again == '' then
    redis.call('HDEL', key, 'a')
  else
    redis.call('HSET', key, 'a', next_again)
  end
end
redis.call('PEXPIRE', key, retention)
if outbox ~= '' then
  redis.call('HSET', outbox_key, 'v', expected + 1, 'o', outbox)
  redis.call('ZADD', prefix .. 'pending', noticed_at, family)
end
if may_set_due then
  if next_due == '' then
    redis.call('ZREM', due, family)
  else
    redis.call('ZADD', due, next_due, family)
  end
end
announce(family)
return 'saved'
