-- Makes tombstones of up to `limit` operations that were closed and drained `outcomes_kept` ms ago, and drops up to as
-- many tombstones that are `keys_kept` ms old (docs/design/operations.md#rule-10). Goes on without memory: it frees more.
-- Tombstone: state letter, order, "\n", key id of the fingerprint, "\n", the first 16 bytes of its digest. Enough to say
-- of a key that it was used, for what, and what became of it.
local now, limit = now_ms(), tonumber(arg.limit)
local closed_key, tombstones_key = operations_key('closed'), operations_key('tombstones')
local ID_BYTES = 16

-- The ids at the head of a list that are in it for long enough, and out of it.
local function take(list, kept)
  local ids = {}
  for _, entry in ipairs(redis.call('LRANGE', list, 0, limit - 1)) do
    if tonumber(string.sub(entry, ID_BYTES + 1)) + kept > now then break end
    ids[#ids + 1] = string.sub(entry, 1, ID_BYTES)
  end
  if #ids > 0 then redis.call('LPOP', list, #ids) end
  return ids
end

local function leave_order(order, id)
  redis.call('ZREM', order_key(order), id)
  local digits = string.gsub(order, '-', '')
  local family = family_key(#digits == 32 and string.gsub(digits, '..', function(two)
    return string.char(tonumber(two, 16) or 0)
  end) or order)
  if redis.call('HGET', family, 'i') == id then redis.call('HDEL', family, 'n', 'i') end
end

-- The order of a gate as lists have it.
local function order_of_gate(gate)
  if #gate ~= ID_BYTES then return gate end
  local digits = string.gsub(gate, '.', function(byte) return string.format('%02x', string.byte(byte)) end)
  return (string.gsub(digits, '^(' .. string.rep('.', 8) .. ')(....)(....)(....)', '%1-%2-%3-%4-'))
end

local function list_again(id) redis.call('RPUSH', closed_key, id .. text(now)) end

local function retire(id, kept)
  local record = load(id)
  if not record then return end
  if record.s == '?' then return list_again(id) end  -- a later version's: it may know
  -- One that ran again since then is in the list again, or will be.
  if is_open(record) or record.e + kept > now then return end
  -- Written over its own tombstone by a late result: that one is on the list, and its end would be the new one's too.
  if redis.call('HEXISTS', tombstone_key(id), id) == 1 then return list_again(id) end
  -- What fails of a damaged record fails before anything goes.
  local order = line(record.o or '')
  local tombstone = not record.ro and  -- nobody has a key of a review record
      table.concat({record.s .. order, record.k, string.sub(record.f, 1, DIGEST_BYTES)}, '\n')
  local gate_list = record.g and order_key(order_of_gate(record.g))
  redis.call('DEL', record_key(id))
  if record.o then leave_order(order, id) end
  -- A refund has made an order of its own, and stands in the list of the one that it refunded.
  if gate_list then redis.call('ZREM', gate_list, id) end
  redis.call('ZREM', due_key(), id)
  if not tombstone then return end
  redis.call('HSET', tombstone_key(id), id, tombstone)
  redis.call('RPUSH', tombstones_key, id .. text(now))
end

local outcomes_kept, keys_kept = tonumber(arg.outcomes_kept), tonumber(arg.keys_kept)
local retired = take(closed_key, outcomes_kept)
for _, id in ipairs(retired) do
  -- One that is damaged stays, and holds up no other.
  if not pcall(retire, id, outcomes_kept) then list_again(id) end
end
local dropped = take(tombstones_key, keys_kept)
for _, id in ipairs(dropped) do redis.call('HDEL', tombstone_key(id), id) end
return #retired + #dropped
