-- Undoes a claim of which it is proven that nothing was sent (docs/design/operations.md#rule-3 and #rule-13). Any
-- number of times.
-- Compares: the owner; the state, which must be open, and not in review for a late effect.
-- Sets: NOT_EXECUTED, the last step NOT_SENT; the look_first bit stays as it is. Answers 1, or 0 when nothing changed.
local id, record = arg.id, load(arg.id)
if not record or not INDEX[record.s] or record.w ~= arg.owner or (record.s == 'V' and record.y == 'LATE_EFFECT') then
  return 0
end
if last_step(record) then set_last_step(record, 'N') end
enter_state(id, record, {to = 'N', now = now_ms(), owner = arg.owner, evidence = 'claim undone: nothing was sent'})
return 1
