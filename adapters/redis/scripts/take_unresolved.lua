-- Takes up to `limit` operations that are due (docs/design/operations.md#rule-4, #rule-6 and #rule-9), longest due
-- first.
-- Compares: state and lease end of each record; an index entry that does not fit its record is put right. RUNNING whose
-- lease has ended is closed: SENT becomes UNKNOWN and is taken at once, without SENT NOT_EXECUTED.
-- Sets, on what is taken: the resolver's token, its lease, due again when the lease ends.
-- Answers {now, {id, rpc, state, ...} of the closed, {fields and values of each that is taken}, ...}; with `ls` "1" for
-- one of another epoch, which may lack steps that went with the memory.
local now, epoch = now_ms(), read_epoch()
local lease_end, expired, taken = now + tonumber(arg.lease), {}, {}
local FIELDS = {'s', 'a', 'h', 'r', 'u', 'k', 'f', 'c', 'x', 'g', 'm', 'mt', 'ps', 'e', 'pn'}

local function take(id, key)
  redis.call('HSET', key, 'v', arg.token, 'vl', text(lease_end))
  redis.call('ZADD', due_key, text(lease_end), id)
  local values, record = redis.call('HMGET', key, unpack(FIELDS)), {'id', id}
  for i, name in ipairs(FIELDS) do
    record[#record + 1] = name
    record[#record + 1] = values[i] or ''
  end
  record[#record + 1] = 'ls'
  record[#record + 1] = epoch and epoch.short == values[3] and '0' or '1'
  for i = 1, number_of(values[#FIELDS]) do
    record[#record + 1] = 'p' .. i
    record[#record + 1] = redis.call('HGET', key, 'p' .. i) or ''
  end
  taken[#taken + 1] = record
end

local function look_at(id)
  local key = record_key(id)
  local found = redis.call('HMGET', key, 's', 'l', 'r', 'ab')
  local state = found[1]
  if state == 'R' and number_of(found[2]) > now then
    redis.call('ZADD', due_key, found[2], id)
    return
  end
  if state == 'R' then
    state = expire(id, key, now)
    for _, part in ipairs({id, found[3] or '', state}) do expired[#expired + 1] = part end
  end
  if state == 'U' or (state == 'N' and found[4] == '1') or (is_open(state) and not INDEX[state]) then
    -- Also in a later version's state: who took it cannot read it, and leaves it for that version.
    take(id, key)
    return
  end
  redis.call('ZREM', due_key, id)
  if not state then
    for letter in pairs(INDEX) do redis.call('ZREM', index_key(letter), id) end
  end
end

for _, id in ipairs(redis.call('ZRANGEBYSCORE', due_key, '-inf', text(now), 'LIMIT', 0, arg.limit)) do
  -- One that is damaged holds up no other.
  if not pcall(look_at, id) then
    redis.call('ZADD', due_key, text(lease_end), id)
    taken[#taken + 1] = {'id', id}
  end
end
return {now, expired, taken}
