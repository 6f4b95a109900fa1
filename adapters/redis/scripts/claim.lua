-- Claims an idempotency key and records its first step as SENT (docs/design/operations.md#rule-1, #rule-5, #rule-7,
-- #rule-8, #rule-9, #rule-12).
-- Compares: the time with the one after which nobody waits for the claim any more; the epoch id with the one the caller
-- learned; the fingerprint by its key id; the state; the gate's holder.
-- Sets, only when it answers `claimed` or `look_first`: the record RUNNING, the gate, the indexes; the first step SENT
-- when `claimed`, the look_first bit and no step when `look_first`.
-- RUNNING whose lease has ended is closed on the way, and the claim goes on with what it became.
-- Answers {verdict, attempt, state, since, ms until the lease ends, order, outcome, holder of the gate, ms since the doubt
-- began (0: nobody doubts and nothing has to be looked for), doubtful for ms from now on (0: not doubtful), fresh order,
-- an earlier attempt may have had its effect, now}; verdict `epoch`: the caller has to learn it again; `late`: it came
-- too late, since Redis stood still; `undrained`: too many transitions of this record wait for the topic.
local id, key, now, epoch = arg.id, record_key(arg.id), now_ms(), read_epoch()
local doubtful = epoch and epoch.doubtful_until > now

local function answer(verdict, fields)
  return {verdict, fields.attempt or 0, fields.state or '', fields.since or 0, fields.wait or 0, fields.order or '',
          fields.outcome or '', fields.holder or '', (doubtful or verdict == 'look_first') and now - epoch.since or 0,
          doubtful and epoch.doubtful_until - now or 0, fields.fresh and 1 or 0, fields.unproven and 1 or 0, now}
end

if now > tonumber(arg.not_after) then return answer('late', {}) end
if not epoch or epoch.id ~= arg.epoch then return answer('epoch', {}) end

local found = redis.call('HMGET', key, 's', 'a', 'k', 'f', 'e', 'l', 'o', 'lf', 'tn', 'td', 'pn', 'np', 'h')
local state, attempt, since = found[1], tonumber(found[2] or 0), tonumber(found[5] or 0)

if state then
  local same = nil
  for i = 1, tonumber(arg.fingerprints) do
    if arg['key' .. i] == found[3] then same = arg['digest' .. i] == found[4] end
  end
  -- Under a key id that the caller does not have nothing can be compared: that is no other request.
  if same == nil then return answer('key_unknown', {}) end
  if not same then return answer('key_reused', {}) end

  if state == 'R' then
    local lease_end = tonumber(found[6])
    if lease_end > now then
      return answer('in_progress', {attempt = attempt, state = state, since = since, wait = lease_end - now,
                                    order = found[7]})
    end
    state, since = expire(id, key, now), now
  end
  if state == 'D' then
    return answer('done', {attempt = attempt, state = state, since = since, order = found[7],
                           outcome = redis.call('HGET', key, 'z')})
  end
  if state ~= 'N' then
    return answer('pending', {attempt = attempt, state = state, since = since, order = found[7]})
  end
  if tonumber(found[9] or 0) - tonumber(found[10] or 0) >= MAX_UNDRAINED then return answer('undrained', {}) end
end

local gate, fresh = arg.gate, false
if gate ~= '' then
  local holder = gate_holder(gate, id)
  if holder then return answer('order_busy', {holder = holder}) end
  redis.call('SET', gate_key(gate), id)
  local made = redis.call('GET', fresh_key(gate))
  fresh = made and now - tonumber(made) < FRESH_MS
end

-- An earlier run may have been forgotten: that there is no record, or that nothing was executed before, says nothing. A
-- look that did not end is owed for ever: the doubt may be over, what it asked is not answered.
local look_first = found[8] == '1' or (doubtful and (not state or since < epoch.since))

-- A record of another epoch may lack attempts; one without the bit is of a version that did not keep it.
local unproven = look_first or (state and (found[12] ~= '0' or found[13] ~= epoch.short))
attempt = attempt + 1
-- A new attempt: nothing of the last one stays but its transitions and the orphans.
redis.call('HSET', key, 'a', attempt, 'h', epoch.short, 'w', arg.owner, 'u', arg.caller, 'r', arg.rpc, 'k', arg.key1,
           'f', arg.digest1, 'c', arg.capture_mode, 'x', arg.traceparent, 'pn', look_first and 0 or 1,
           'np', unproven and '1' or '0')
if state then
  for i = 1, tonumber(found[11] or 0) do redis.call('HDEL', key, 'p' .. i) end
  redis.call('HDEL', key, 'o', 'g', 'v', 'lf', 'z', 'kn')
else
  redis.call('HSET', key, 'b', text(now))
end
if look_first then
  redis.call('HSET', key, 'lf', '1')
else
  redis.call('HSET', key, 'p1', 'S' .. text(now) .. '\n' .. arg.step)
end
if gate ~= '' then redis.call('HSET', key, 'g', gate) end
if arg.order ~= '' then redis.call('HSET', key, 'o', arg.order) end
enter_state({id = id, key = key, from = state or '-', to = 'R', now = now, owner = arg.owner, caller = arg.caller,
             evidence = look_first and 'claimed, to look first' or 'claimed', lease_end = now + tonumber(arg.lease)})
return answer(look_first and 'look_first' or 'claimed',
              {attempt = attempt, state = 'R', since = now, order = arg.order, fresh = fresh, unproven = unproven})
