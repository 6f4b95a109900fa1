-- What is kept of orders, for those who only look. ARGV: <project>, then each order as a family (16 bytes of its
-- id), whether it is a root or a member. See family_state.lua for the keys.
-- Answers for each, one after the other: its state; 16 bytes of its root if it is a member; the family's due time;
-- whether the family's outbox is pending (1 or 0); what is kept of it if it is settled; whether it was never read, and
-- somebody has seen it (1 or 0). Nil where there is none.
local answer = {}
for i = 2, #ARGV do
  local family = ARGV[i]
  local found = redis.call('HMGET', prefix .. 'f:' .. family, 'o', 'r', 'h')
  local state, root, noticed = found[1], found[2], found[3]
  if root and not state then
    local member = family
    family = root
    state = redis.call('HGET', prefix .. 'f:' .. root, member)
  else
    root = false
  end
  table.insert(answer, state)
  table.insert(answer, root)
  local due = redis.call('ZSCORE', prefix .. 'due', family)
  table.insert(answer, due and string.format('%.0f', math.floor(tonumber(due))))
  table.insert(answer, redis.call('EXISTS', prefix .. 'x:' .. family))
  table.insert(answer, not state and not root and find_settled(family) or false)
  table.insert(answer, noticed and string.sub(noticed, -1) == '+' and 1 or 0)
end
return answer
