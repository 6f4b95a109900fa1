-- Put after record.lua before the scripts that record what an operation did: its order's entry, review records, orphans.

-- What an operation leaves with its order for the reader, and the family due now. What the first operation left stays,
-- since later ones did not create the order.
local function enter_order(now)
  local family = arg.family or ''
  if family == '' then return end
  local family_key, due = prefix .. 'f:' .. family, prefix .. 'due'
  -- Always a time that no reader has seen, so that one which is reading now does not overwrite it with its own.
  local time, current = now, tonumber(redis.call('ZSCORE', due, family) or 0)
  if current >= time and current < time + 1000 then time = current + 1 end
  redis.call('ZADD', due, text(time), family)
  if arg.entry_capture_mode ~= '' then redis.call('HSETNX', family_key, 'c', arg.entry_capture_mode) end
  if arg.entry_traceparent ~= '' then redis.call('HSETNX', family_key, 'x', arg.entry_traceparent) end
  if arg.entry_own_checkout == '1' then redis.call('HSET', family_key, 'w', '1') end
  if redis.call('PTTL', family_key) == -1 then redis.call('PEXPIRE', family_key, arg.entry_retention) end
end

local function keep_outcome(key)
  if arg.outcome ~= '' then redis.call('HSET', key, 'z', arg.outcome) end
  if arg.knowledge ~= '' then redis.call('HSET', key, 'kn', arg.knowledge) end
end

-- Opens a review record: an ordinary record in NEEDS_REVIEW with an id of its own and no gate. `fields` are its HSET
-- arguments. Once per id; answers its key when it opened one.
local function open_review(review, fields, operation, reason, now, owner, evidence)
  local key = record_key(review)
  if redis.call('EXISTS', key) == 1 then return nil end
  redis.call('HSET', key, 'b', text(now), 'ro', operation, unpack(fields))
  enter_state({id = review, key = key, from = '-', to = 'V', now = now, owner = owner, evidence = evidence,
               reason = reason})
  return key
end

-- Notes, once per order, an order that carries the operation's mark and is not its outcome. The state stays.
local function note_orphan(id, key, state, order, now, owner)
  if order == '' then return end
  local found = redis.call('HMGET', key, 'oo', 'tn', 'td')
  local noted = found[1] or ''
  if string.find(',' .. noted, ',' .. order .. ',', 1, true) then return end
  local _, count = string.gsub(noted, ',', '')
  if count >= MAX_ORPHANS or tonumber(found[2] or 0) - tonumber(found[3] or 0) >= MAX_UNDRAINED then return end
  redis.call('HSET', key, 'oo', noted .. order .. ',')
  add_transition(id, key, state, state, now, owner, 'orphan order ' .. order, order)
end
