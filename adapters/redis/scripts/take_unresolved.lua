-- Takes up to `limit` operations that are due (docs/design/operations.md#rule-4, #rule-6 and #rule-9), longest due
-- first.
-- Compares: state and lease end of each record; an index entry that does not fit its record is put right. RUNNING whose
-- lease has ended is closed: SENT becomes UNKNOWN and is taken at once, without SENT NOT_EXECUTED. So is what waited for a
-- second person for too long.
-- Sets, on what is taken: the resolver's token, its lease, due again when the lease ends.
-- Answers {now, {id, rpc, state, ...} of the closed, {fields and values of each that is taken}, ...}; with `ls` "1" for
-- one of before the doubt, which may lack steps that went with the memory. Of one that cannot be read: `id` alone.
local now, epoch = now_ms(), read_epoch()
local lease_end, limit, expired, taken = now + tonumber(arg.lease), tonumber(arg.limit), {}, {}
local TURN_MS = 500  -- until it is tried again
local FIELDS = {'s', 'a', 'h', 'r', 'u', 'k', 'f', 'c', 'x', 'g', 'm', 'mt', 'ps', 'e', 'lf', 'sn'}

local function take(id, record)
  local step, whole = record.lf == 1 and record.s == 'U' and last_step(record), is_whole(record, epoch)
  -- A later run may have been forgotten since, or be another store's.
  if step and epoch then step[2] = math.max(step[2], doubted_since(epoch)) end
  local shown = {'id', id}
  for _, name in ipairs(FIELDS) do
    local value = record[name] or ''
    shown[#shown + 1] = name
    shown[#shown + 1] = type(value) == 'number' and text(value) or value
  end
  shown[#shown + 1] = 'ls'
  shown[#shown + 1] = whole and '0' or '1'
  add_steps(shown, record)
  record.v, record.vl = arg.token, lease_end
  save(id, record)
  redis.call('ZADD', due_key(), text(lease_end), id)
  taken[#taken + 1] = shown
end

-- What closes a record in the state `letter` whose lease, or whose time for a second person, has ended.
local function closes(letter, close)
  return function(id)
    local record = load(id)
    if not record then return redis.call('ZREM', index_key(letter), id) end
    if record.s == '?' then error('of a later version') end
    if record.s ~= letter then return redis.call('ZREM', index_key(letter), id) end
    if record.l > now then return redis.call('ZADD', index_key(letter), text(record.l), id) end
    close(id, record, now)
    for _, part in ipairs({id, record.r or '', record.s}) do expired[#expired + 1] = part end
  end
end

local function look_at(id)
  local record = load(id)
  if not record then
    redis.call('ZREM', due_key(), id)
    for letter in pairs(INDEX) do redis.call('ZREM', index_key(letter), id) end
  elseif record.s == 'U' or record.ab == 1 or (is_open(record) and not INDEX[record.s]) then
    -- Also in a later version's state: who took it cannot read it, and leaves it for that version.
    if record.s == '?' then error('of a later version') end
    take(id, record)
  elseif record.s == 'R' and record.lf == 1 then
    -- A call looks at it just now.
    redis.call('ZADD', due_key(), text(now + TURN_MS), id)
  else
    redis.call('ZREM', due_key(), id)
  end
end

-- One that is damaged holds up no other.
local function each_due(index, act)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', text(now), 'LIMIT', 0, limit)) do
    if not pcall(act, id) then
      redis.call('ZADD', index, text(lease_end), id)
      taken[#taken + 1] = {'id', id}
    end
  end
end

each_due(index_key('R'), closes('R', expire))
each_due(index_key('A'), closes('A', lapse))
each_due(due_key(), look_at)
return {now, expired, taken}
