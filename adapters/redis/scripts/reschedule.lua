-- Says when an operation that was looked at without a decision is due again.
-- Compares: state, epoch and attempt, and the resolver's token. Sets: misses, one more look, the due time, which is now
-- where a reader has seen an order that the look did not know of; without one NOT_EXECUTED leaves the queue for good.
-- Answers 1, or 0 when another has moved it on.
local id, record = arg.id, load(arg.id)
if not record or record.s ~= arg.state or record.h ~= arg.epoch or record.a ~= tonumber(arg.attempt) or
    record.v ~= arg.token then
  return 0
end
local next_look, misses = tonumber(arg.next_look), tonumber(arg.misses)
local over = next_look < 0 and arg.state == 'N'
if record.sn and record.sn ~= arg.seen then next_look = 0 end
record.m, record.mt = misses, arg.target_missing == '1' and misses or nil
record.ps, record.v, record.vl = (record.ps or 0) + 1, nil, nil
if over then record.ab = nil end
save(id, record)
if over then
  redis.call('ZREM', due_key(), id)
else
  redis.call('ZADD', due_key(), text(now_ms() + math.max(0, next_look)), id)
end
return 1
