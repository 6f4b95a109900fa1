-- Reads all that is kept of a family at one instant. ARGV: <project>, family (16 bytes of the root), the key of the
-- store's epoch.
-- Family, hash <project>f:<family>: v version, s stream and sequence, o the root's state, and one field a member, named
--   by its 16 bytes, with the member's state; what operations left: c capture_mode, x traceparent, w own checkout, n and
--   i when an operation made the root, and its id.
--   Of an order that is a member of another family: r that family's root, and what operations left.
--   Each value is small, so that the hash stays in Redis' small encoding.
-- Outbox, hash <project>x:<family>: v version it was saved with, o bytes. It is a key of its own,
--   since a large value would leave the family's hash in its large encoding for ever.
--   Of one that is settled (settled.lua): what operations left since then, alone.
-- Answers {{field, value, ...}, outbox, its version, due time, settled value, epoch, its since and until}, nil where there
-- is none.
local family, epoch_key = ARGV[2], ARGV[3]
local fields, has_snapshot = redis.call('HGETALL', prefix .. 'f:' .. family), false
local due = redis.call('ZSCORE', prefix .. 'due', family)
for i = 1, #fields, 2 do has_snapshot = has_snapshot or fields[i] == 'v' end
local outbox = redis.call('HMGET', prefix .. 'x:' .. family, 'o', 'v')
local epoch, since, till = epoch_of_families(epoch_key, prefix)
return {fields, outbox[1], outbox[2], due and string.format('%.0f', math.floor(tonumber(due))) or false,
        not has_snapshot and find_settled(family) or false, epoch, since, till}
