-- Undoes a claim of which it is proven that nothing was sent (docs/design/operations.md#rule-3 and #rule-13). Any
-- number of times.
-- Compares: the owner; the state, which must be open, and neither in review for a late effect nor one that awaits
-- approval: that sent nothing, and the owner is of the attempt before.
-- Sets: NOT_EXECUTED, or UNKNOWN where a forgotten run is to be looked for (end_unsent); the last step NOT_SENT; the
-- look_first bit stays as it is. Answers 1, or 0 when nothing changed.
local id, record = arg.id, load(arg.id)
if not record or not INDEX[record.s] or record.w ~= arg.owner or record.s == 'A' or
    (record.s == 'V' and record.y == 'LATE_EFFECT') then
  return 0
end
-- What is looked for is not disproved by that.
if record.s ~= 'R' and record.lf == 1 then return 1 end
end_unsent(id, record, now_ms(), arg.owner, 'claim undone: nothing was sent')
return 1
