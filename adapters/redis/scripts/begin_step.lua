-- Records a further step of a plan as SENT and the one before it as DONE, before the new one's first byte; also the
-- first step of an operation that had to look first.
-- Compares: the epoch; state RUNNING, epoch and attempt of the record, owner, and that the lease has not ended (it
-- guards sending); the holder of the gate, where the operation takes one now (of an order that an earlier step made).
-- Sets the gate, renews the lease, and clears the look_first bit. Answers 'begun' or 'refused'.
local id, key, now, epoch = arg.id, record_key(arg.id), now_ms(), read_epoch()
local found = redis.call('HMGET', key, 's', 'h', 'a', 'w', 'l', 'g')
if not epoch or epoch.short ~= arg.epoch or found[1] ~= 'R' or found[2] ~= arg.epoch or
    found[3] ~= arg.attempt or found[4] ~= arg.owner or tonumber(found[5]) <= now then
  return 'refused'
end

if arg.gate ~= '' and not found[6] then
  if gate_holder(arg.gate, id) then return 'refused' end
  redis.call('SET', gate_key(arg.gate), id)
  redis.call('HSET', key, 'g', arg.gate)
end
local lease_end = now + tonumber(arg.lease)
redis.call('HSET', key, 'l', text(lease_end))
redis.call('ZADD', due_key, text(lease_end), id)
if last_step(key) then set_last_step(key, 'D') end
local count = redis.call('HINCRBY', key, 'pn', 1)
redis.call('HSET', key, 'p' .. count, 'S' .. text(now) .. '\n' .. arg.step)
redis.call('HDEL', key, 'lf')
if arg.order ~= '' then
  redis.call('HSET', key, 'o', arg.order)
  list_under_order(arg.order, id, 'R', 'R', now)
end
return 'begun'
