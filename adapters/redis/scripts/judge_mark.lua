-- Judges an order that carries a mark (docs/design/operations.md#evidence: create order).
-- Compares: epoch and attempt of the mark with the record's, and the order with that of the record.
-- Sets, for an orphan: the note of it, once per order; for one that is paid, a review record, once per order.
-- Answers 'ours' or 'orphan'.
local id, key, now = arg.id, record_key(arg.id), now_ms()
local found = redis.call('HMGET', key, 's', 'a', 'h', 'o', 'lf', 'r', 'c', 'x', 'k', 'f')
local state, attempt, order = found[1], tonumber(found[2] or 0), found[4]
if not state then return 'ours' end  -- no longer known

local function is_ours()
  if state == 'D' then return order == arg.order end
  if found[5] == '1' then return true end  -- nothing was sent in this attempt: it may adopt the order of an earlier one
  if order == arg.order then return state ~= 'N' end
  local epoch = read_epoch()
  if arg.epoch == found[3] then
    if tonumber(arg.attempt) > attempt then return true end  -- a failover lost that attempt
    return tonumber(arg.attempt) == attempt and state ~= 'N'
  end
  return epoch and epoch.short == arg.epoch
end

if is_ours() then return 'ours' end
note_orphan(id, key, state, arg.order, now, 'reader')
if arg.paid == '1' then
  open_review(arg.review, {'a', arg.attempt, 'h', arg.epoch, 'w', 'reader', 'r', found[6] or '', 'c', found[7] or '',
                           'x', found[8] or '', 'k', found[9] or '', 'f', found[10] or '', 'pn', 0, 'o', arg.order},
              id, 'ORPHAN_PAID', now, 'reader', 'order ' .. arg.order .. ' is paid and is the outcome of no operation')
end
return 'orphan'
