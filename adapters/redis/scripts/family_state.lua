-- Put behind family_epoch.lua and settled.lua before the scripts that read families whole: load_family, load_families.
-- Family, hash <project>f:<family>: v version, s stream and sequence, o the root's state, and one field a member, named
--   by its 16 bytes, with the member's state; a what is to be told again (tell_again.lua); what operations left:
--   c capture_mode, x traceparent, w own checkout, n and i when an operation made the root, and its id.
--   Of an order that was never read: h when it was noticed (ms), with + once somebody has seen it (note_noticed.lua).
--   Of an order that is a member of another family: r that family's root, and what operations left.
--   Each value is small, so that the hash stays in Redis' small encoding.
-- Outbox, hash <project>x:<family>: v version it was saved with, o bytes. It is a key of its own,
--   since a large value would leave the family's hash in its large encoding for ever.
--   Of one that is settled (settled.lua): what operations left since then, and a, alone.
-- The state of a family is {{field, value, ...}, outbox, its version, due time, settled value, epoch, its since and until},
-- nil where there is none.
local function state_of(family, epoch)
  local fields, has_snapshot = redis.call('HGETALL', prefix .. 'f:' .. family), false
  local due = redis.call('ZSCORE', prefix .. 'due', family)
  for i = 1, #fields, 2 do has_snapshot = has_snapshot or fields[i] == 'v' end
  local outbox = redis.call('HMGET', prefix .. 'x:' .. family, 'o', 'v')
  return {fields, outbox[1], outbox[2], due and string.format('%.0f', math.floor(tonumber(due))) or false,
          not has_snapshot and find_settled(family) or false, epoch[1], epoch[2], epoch[3]}
end
