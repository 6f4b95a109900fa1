-- Put after record.lua before the scripts that record what an operation did: its order's entry, review records, orphans.

-- What an operation leaves with its order for the reader, and the family due now. What the first operation left stays,
-- since later ones did not create the order. `maker`: the operation that made the order just now.
local function enter_order(now, maker)
  local family = arg.family
  if family == '' then return end
  local key, due = family_key(family), prefix .. 'due'
  if redis.call('ZADD', due, 'NX', text(now), family) == 0 then
    -- Always a time that no reader has seen, so that one which is reading now does not overwrite it with its own.
    local time, current = now, tonumber(redis.call('ZSCORE', due, family))
    if current >= time and current < time + 1000 then time = current + 1 end
    redis.call('ZADD', due, text(time), family)
  end
  if maker then
    redis.call('HSET', key, 'c', arg.entry_capture_mode, 'x', arg.entry_traceparent, 'n', text(now), 'i', maker)
  else
    if arg.entry_capture_mode ~= '' then redis.call('HSETNX', key, 'c', arg.entry_capture_mode) end
    if arg.entry_traceparent ~= '' then redis.call('HSETNX', key, 'x', arg.entry_traceparent) end
  end
  if arg.entry_own_checkout == '1' then redis.call('HSET', key, 'w', '1') end
  redis.call('PEXPIRE', key, arg.entry_retention, 'NX')
end

-- Whether the attempt that is asked about, of an epoch that is neither the record's nor the store's, came after all that
-- the record knows: attempts count up, and this one went with the memory that the store lost behind it.
local function may_have_been_lost(record, epoch)
  return tonumber(arg.attempt) > record.a and not is_whole(record, epoch)
end

local function keep_outcome(record)
  if arg.outcome ~= '' then record.z = arg.outcome end
  if arg.knowledge ~= '' then record.kn = arg.knowledge end
end

-- Opens a review record: an ordinary record in NEEDS_REVIEW with an id of its own and no gate. Once per id.
local function open_review(review, record, operation, reason, now, owner, evidence)
  if redis.call('EXISTS', record_key(review)) == 1 then return end
  record.V, record.b, record.ro = RECORD_VERSION, now, operation
  enter_state(review, record, {to = 'V', now = now, owner = owner, evidence = evidence, reason = reason})
end

-- Whether a list of ids, each with a comma, has this one.
local function has_id(list, id) return string.find(',' .. list, ',' .. id .. ',', 1, true) end

-- A list of ids, each with a comma, and the id; nil where it is there already, or the list has `most`.
local function with_id(list, id, most)
  if has_id(list, id) then return nil end
  local _, count = string.gsub(list, ',', '')
  return count < most and list .. id .. ',' or nil
end

-- Notes, once per order, an order that carries the operation's mark and is not its outcome. The state stays.
local function note_orphan(id, record, order, now, owner)
  local noted = order ~= '' and with_id(record.oo or '', order, MAX_ORPHANS)
  if not noted then return end
  record.oo, record.t, record.ev = noted, transitions_of(record), nil
  add_transition(id, record, record.s, record.s, now, owner, 'orphan order ' .. order, order)
  save(id, record)
end
