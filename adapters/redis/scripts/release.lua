-- Undoes a claim of which it is proven that nothing was sent (docs/design/operations.md#rule-3 and #rule-13). Any
-- number of times.
-- Compares: the owner; the state, which must be open, and not in review for a late effect.
-- Sets: NOT_EXECUTED, the last step NOT_SENT; the look_first bit stays as it is. Answers 1, or 0 when nothing changed.
local id, key, now = arg.id, record_key(arg.id), now_ms()
local found = redis.call('HMGET', key, 's', 'w', 'y')
local state = found[1]
if not INDEX[state or ''] or found[2] ~= arg.owner or (state == 'V' and found[3] == 'LATE_EFFECT') then return 0 end
if last_step(key) then set_last_step(key, 'N') end
enter_state({id = id, key = key, from = state, to = 'N', now = now, owner = arg.owner,
             evidence = 'claim undone: nothing was sent'})
return 1
