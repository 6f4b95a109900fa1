-- Judges an order that carries a mark (docs/design/operations.md#evidence: create order).
-- Compares: epoch and attempt of the mark with the record's, and the order with that of the record.
-- Sets, for an orphan: the note of it, once per order; for one that is paid, a review record, once per order. For ours,
-- while its result is not known, or a forgotten run is looked for first: that the order was seen, and an UNKNOWN
-- operation that nobody looks at is due now. For ours of an attempt that the record does not know, where it says that
-- nothing was executed: also that a forgotten run is looked for first.
-- Answers 'ours' or 'orphan'.
local id, record, now = arg.id, load(arg.id), now_ms()
if not record or record.s == '?' then return 'ours' end  -- no longer known, or nobody can say

local gave_up = record.s == 'N' or record.s == 'A'

-- Whether an order that might be adopted was judged an orphan before, and still is one. A look that is under way decides;
-- nobody can say where the attempt that adopted it may have been forgotten, nor while a person is waited for.
local function stays_orphan()
  if record.o == arg.order or arg.paid == '1' or not has_id(record.oo or '', arg.order) then return false end
  if not gave_up then return record.s == 'R' or record.s == 'U' end
  local epoch = read_epoch()
  return epoch and record.e >= doubted_since(epoch)
end

local function is_ours()
  if record.s == 'D' then return record.o == arg.order end
  -- Nothing was sent in this attempt: it may adopt the order of an earlier one.
  if record.lf == 1 then return not stays_orphan() end
  if record.o == arg.order then return not gave_up end
  if has_id(record.oo or '', arg.order) then return false end
  if arg.epoch == record.h then
    if tonumber(arg.attempt) > record.a then return true end  -- a failover lost that attempt
    return tonumber(arg.attempt) == record.a and not gave_up
  end
  local epoch = read_epoch()
  return epoch and (epoch.short == arg.epoch or may_have_been_lost(record, epoch))
end

-- What shows this order is an effect: no absence is concluded over it (finish.lua), and nothing sent (begin_step.lua).
local function note_seen()
  local open = record.s == 'U' or record.s == 'R' or (gave_up and record.lf == 1)
  local seen = open and record.o ~= arg.order and with_id(record.sn or '', arg.order, MAX_SEEN)
  if not seen then return end
  record.sn = seen
  save(id, record)
  if record.s == 'U' and (record.vl or 0) <= now then redis.call('ZADD', due_key(), 'LT', text(now), id) end
end

if is_ours() then
  -- An attempt that the record does not know shows its effect, while the record says that nothing was executed: the key
  -- finds it before it sends anything.
  if gave_up then record.lf = 1 end
  note_seen()
  return 'ours'
end
note_orphan(id, record, arg.order, now, 'reader')
if arg.paid == '1' then
  open_review(arg.review, {a = tonumber(arg.attempt), h = arg.epoch, w = 'reader', r = record.r, c = record.c,
                           x = record.x, k = record.k, f = record.f, o = arg.order},
              id, 'ORPHAN_PAID', now, 'reader', 'order ' .. arg.order .. ' is paid and is the outcome of no operation')
end
return 'orphan'
