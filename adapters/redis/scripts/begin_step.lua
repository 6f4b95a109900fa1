-- Records a further step of a plan as SENT and the one before it as DONE, before the new one's first byte; also the
-- first step of an operation that had to look first.
-- Compares: the epoch; state RUNNING, epoch and attempt of the record, owner, and that the lease has not ended (it
-- guards sending); that no reader has seen an order of a forgotten run since it was looked for; the holder of the gate,
-- where the operation takes one now (of an order that an earlier step made).
-- Sets the gate, renews the lease, and clears the look_first bit. Answers 'begun' or 'refused'.
local id, now, epoch = arg.id, now_ms(), read_epoch()
local record = load(id)
if not record or not epoch or epoch.short ~= arg.epoch or record.s ~= 'R' or record.h ~= arg.epoch or
    record.a ~= tonumber(arg.attempt) or record.w ~= arg.owner or record.l <= now or
    (record.lf == 1 and record.sn) then
  return 'refused'
end

if arg.gate ~= '' and not record.g then
  if gate_holder(arg.gate, id) then return 'refused' end
  redis.call('SET', gate_key(arg.gate), id)
  record.g = arg.gate
end
record.l, record.lf, record.q = now + tonumber(arg.lease), nil, nil
if last_step(record) then set_last_step(record, 'D') end
record.p = record.p or {}
table.insert(record.p, {'S', now, arg.step})
if arg.order ~= '' then record.o = arg.order end
save(id, record)
redis.call('ZADD', index_key('R'), text(record.l), id)
list_under_order(arg.order, id, now)
return 'begun'
