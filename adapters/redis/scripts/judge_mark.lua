-- Judges an order that carries a mark (docs/design/operations.md#evidence: create order).
-- Compares: epoch and attempt of the mark with the record's, and the order with that of the record.
-- Sets, for an orphan: the note of it, once per order; for one that is paid, a review record, once per order.
-- Answers 'ours' or 'orphan'.
local id, record, now = arg.id, load(arg.id), now_ms()
if not record or record.s == '?' then return 'ours' end  -- no longer known, or nobody can say

local gave_up = record.s == 'N' or record.s == 'A'

local function is_ours()
  if record.s == 'D' then return record.o == arg.order end
  if record.lf == 1 then return true end  -- nothing was sent in this attempt: it may adopt the order of an earlier one
  if record.o == arg.order then return not gave_up end
  local epoch = read_epoch()
  if arg.epoch == record.h then
    if tonumber(arg.attempt) > record.a then return true end  -- a failover lost that attempt
    return tonumber(arg.attempt) == record.a and not gave_up
  end
  return epoch and epoch.short == arg.epoch
end

if is_ours() then return 'ours' end
note_orphan(id, record, arg.order, now, 'reader')
if arg.paid == '1' then
  open_review(arg.review, {a = tonumber(arg.attempt), h = arg.epoch, w = 'reader', r = record.r, c = record.c,
                           x = record.x, k = record.k, f = record.f, o = arg.order},
              id, 'ORPHAN_PAID', now, 'reader', 'order ' .. arg.order .. ' is paid and is the outcome of no operation')
end
return 'orphan'
