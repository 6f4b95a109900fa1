-- Put after record.lua before the scripts that show records.

-- Adds the steps as fields p1, p2 and so on, with their number.
local function add_steps(shown, record)
  local steps = record.p or {}
  shown[#shown + 1] = 'pn'
  shown[#shown + 1] = text(#steps)
  for i, step in ipairs(steps) do
    shown[#shown + 1] = 'p' .. i
    shown[#shown + 1] = step[1] .. text(step[2]) .. '\n' .. step[3]
  end
end

local SHOWN = {'s', 'a', 'h', 'w', 'u', 'r', 'o', 'y', 'kn', 'ro', 'm', 'b', 'e'}
local SHOWN_OF_APPROVAL = {'id', 'w', 't', 'l', 'e', 'p', 'to', 'c', 'ct'}

-- The record as field and value by turns, all of them text; without what is large or secret (outcome, fingerprint), with
-- `due`. nil when there is none. Of a tombstone: what is left.
local function read_record(id)
  local record = load(id)
  if not record then
    local tombstone = redis.call('HGET', tombstone_key(id), id)
    return tombstone and {'s', string.sub(tombstone, 1, 1), 'o', string.match(tombstone, '^.([^\n]*)\n')}
  end
  local due = record.s == 'R' and record.l or redis.call('ZSCORE', due_key(), id)
  local shown = {'due', due and text(due) or ''}
  for _, name in ipairs(SHOWN) do
    local value = record[name]
    if value then
      shown[#shown + 1] = name
      shown[#shown + 1] = type(value) == 'number' and text(value) or value
    end
  end
  local approval = record.ap
  -- One that was confirmed stays to be seen; another only while it can be.
  if approval and (approval.c or (not approval.ov and (record.s == 'A' or approval.n == record.n))) then
    for _, name in ipairs(SHOWN_OF_APPROVAL) do
      local value = approval[name]
      if value then
        shown[#shown + 1] = 'ap_' .. name
        shown[#shown + 1] = type(value) == 'number' and text(value) or value
      end
    end
  end
  add_steps(shown, record)
  local transitions = transitions_of(record)
  shown[#shown + 1] = 'tn'
  shown[#shown + 1] = text(record.n or 0)
  for i, transition in ipairs(transitions) do
    shown[#shown + 1] = 't' .. (record.n - #transitions + i)
    shown[#shown + 1] = transition
  end
  return shown
end
