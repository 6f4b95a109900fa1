-- Claims an idempotency key and records its first step as SENT (docs/design/operations.md#rule-1, #rule-5, #rule-7,
-- #rule-8, #rule-9, #rule-12, #rule-19).
-- Compares: the time with the one after which nobody waits for the claim any more; the epoch id with the one the caller
-- learned; the fingerprint by its key id; the state; the length of the outbox; the gate's holder; what the limits of money
-- have left of the day.
-- Sets, only when it answers `claimed` or `look_first`: the record RUNNING, the gate, the index, what it takes of the limits
-- of money (record.lua); the first step SENT
-- when `claimed`, the look_first bit and no step when `look_first`.
-- RUNNING whose lease has ended is closed on the way, and the claim goes on with what it became. UNKNOWN in which nothing
-- was sent, since a forgotten run has to be looked for first, is claimed to look again, but not while the resolver looks:
-- who calls again and again would keep it from ever coming to a conclusion.
-- Where `approval` is given, or somebody asked for one before, it is claimed only when another identity has confirmed it,
-- and as often as that was proven to do nothing; until then it is AWAITS_APPROVAL, and the first who comes asks.
-- Answers {verdict, attempt, state, since, ms until the lease ends, order, outcome, holder of the gate, ms since the doubt
-- began (0: nobody doubts and nothing has to be looked for), doubtful for ms from now on (0: not doubtful), fresh order,
-- an earlier attempt may have had its effect, now}; verdict `epoch`: the caller has to learn it again; `unlisted`: the store does not serve the project; `late`: it came
-- too late, since Redis stood still; `undrained`: too many transitions wait for the topic; `not_kept`: only a tombstone
-- is left, with its state and order; `whose_currency`: there are limits of money, and the caller has to say those of the
-- order's currency; `money_limit`: one of them, named in place of the outcome, would be passed; in place of the lease the day ends; `approval_needed`: the id of what is asked for in place of the outcome, when it
-- is over in place of the lease, and fresh where this call asked for it.
local id, now = arg.id, now_ms()
local epoch, without_project = read_epoch()
local doubtful = epoch and epoch.doubtful_until > now

local function answer(verdict, fields)
  return {verdict, fields.attempt or 0, fields.state or '', fields.since or 0, fields.wait or 0, fields.order or '',
          fields.outcome or '', fields.holder or '', (doubtful or verdict == 'look_first') and now - epoch.since or 0,
          doubtful and epoch.doubtful_until - now or 0, fields.fresh and 1 or 0, fields.unproven and 1 or 0, now}
end

-- nil under a key id that the caller does not have: then nothing can be compared, and that is no other request.
local function is_same(key_id, digest)
  for i = 1, tonumber(arg.fingerprints) do
    if arg['key' .. i] == key_id then return string.sub(arg['digest' .. i], 1, #digest) == digest end
  end
end

if now > tonumber(arg.not_after) then return answer('late', {}) end
if without_project and without_project == arg.epoch then return answer('unlisted', {}) end
if not epoch or epoch.id ~= arg.epoch then return answer('epoch', {}) end

local record = load(id)
local state = record and record.s
if state == '?' then return answer('pending', {state = state}) end

local function answer_approval_needed(fresh)
  return answer('approval_needed', {attempt = record.a, state = 'A', since = record.e, wait = record.l - now,
                                    outcome = record.ap.id, fresh = fresh})
end

local approved = false
if record then
  local same = is_same(record.k, record.f)
  if same == nil then return answer('key_unknown', {}) end
  if not same then return answer('key_reused', {}) end

  if state == 'R' then
    if record.l > now then
      return answer('in_progress', {attempt = record.a, state = state, since = record.e, wait = record.l - now,
                                    order = record.o})
    end
    expire(id, record, now)
    state = record.s
  end
  if state == 'A' and record.l <= now then
    lapse(id, record, now)
    state = record.s
  end
  approved = may_run(record, now)
  if state == 'A' and not approved then return answer_approval_needed(false) end
  if state == 'D' then
    return answer('done', {attempt = record.a, state = state, since = record.e, order = record.o, outcome = record.z})
  end
  -- What a reader saw is the resolver's to read.
  local looks_again = state == 'U' and record.lf == 1 and not record.sn and (record.vl or 0) <= now and
      (approved or arg.approval == '')
  if state ~= 'N' and state ~= 'A' and not looks_again then
    return answer('pending', {attempt = record.a, state = state, since = record.e, order = record.o})
  end
else
  local tombstone = redis.call('HGET', tombstone_key(id), id)
  if tombstone then
    local left, order, key_id, digest = string.match(tombstone, '^(.)([^\n]*)\n([^\n]*)\n(.*)$')
    local same = is_same(key_id, digest)
    if same == nil then return answer('key_unknown', {}) end
    return answer(same and 'not_kept' or 'key_reused', {state = left, order = order})
  end
end
if redis.call('XLEN', transitions_key) >= tonumber(arg.max_undrained) then return answer('undrained', {}) end

local gate, fresh = arg.gate, false
if gate ~= '' then
  local holder = gate_holder(gate, id)
  if holder then return answer('order_busy', {holder = holder}) end
end

-- What the operation holds of this day, since it may still have had its effect, it does not take again.
local DAY_MS, day, money = 86400000, nil, nil
if arg.money ~= '' then
  day = math.floor(now / DAY_MS)
  money = not (record and record.ml and record.ml[1] == day) and operations_key('money:' .. text(day))
end
if money then
  if arg.money == '?' then return answer('whose_currency', {}) end
  for i = 1, tonumber(arg.money) do
    local limit, most, times = arg['limit' .. i], arg['most' .. i], arg['times' .. i]
    local taken = redis.call('HMGET', money, 'a' .. limit, 'n' .. limit)
    -- Numbers here are exact up to 2^53: no day has more, limited or not.
    most = tonumber(most) or 9007199254740991
    local passed = (taken[1] or 0) + tonumber(arg.amount) > most and ' amount' or
        times ~= '' and (taken[2] or 0) + 1 > tonumber(times) and ' count'
    if passed then
      return answer('money_limit', {outcome = limit .. passed, wait = (day + 1) * DAY_MS - now})
    end
  end
end

-- A record of another epoch may lack attempts, whatever its clock said.
local of_another = record and record.h ~= epoch.short
-- An earlier run may have been forgotten: that there is no record, or that nothing was executed before, says nothing. A
-- look that did not end is owed for ever: the doubt may be over, what it asked is not answered.
local look_first = record and record.lf == 1 or (doubtful and (not record or of_another or record.e < epoch.since))
-- One without the bit is of a version that did not keep it.
local unproven = look_first or of_another or (record and record.np ~= 0)

-- What the record says of who calls and what for.
local function note_call()
  record.u, record.r, record.k, record.f = arg.caller, arg.rpc, arg.key1, arg.digest1
  record.c, record.x = arg.capture_mode, arg.traceparent
  record.np, record.lf = unproven and 1 or 0, look_first and 1 or nil
end

if arg.approval ~= '' and not approved then
  -- What the attempt before left stays with it: its effect may show up yet.
  record = record or {V = RECORD_VERSION, b = now, a = 0, h = epoch.short}
  note_call()
  record.ap = ask(now)
  record.ap.p, record.ap.ab, record.ap.f = arg.step, record.ab, record.a
  record.ap.q = arg.looked_for ~= '' and arg.looked_for or nil
  enter_state(id, record, {to = 'A', now = now, owner = arg.owner, caller = arg.caller, lease_end = record.ap.l,
                           evidence = 'awaits approval: ' .. arg.approval_reason})
  return answer_approval_needed(true)
end

if gate ~= '' then
  redis.call('SET', gate_key(gate), id)
  local made = redis.call('HGET', family_key(gate), 'n')
  fresh = made and now - tonumber(made) < FRESH_MS
end

-- A new attempt: nothing of the last one stays but its transitions and the orphans.
record = record or {V = RECORD_VERSION, b = now}
record.a, record.h, record.w = (record.a or 0) + 1, epoch.short, arg.owner
note_call()
record.p = not look_first and {{'S', now, arg.step}} or nil
record.v, record.z, record.kn, record.ev = nil, nil, nil, nil
if not approved then record.ap = nil end
record.q = look_first and arg.looked_for ~= '' and arg.looked_for or nil
record.g, record.o = gate ~= '' and gate or nil, arg.order ~= '' and arg.order or nil
if money then
  -- Of another day, which the clock may have been set back from: it counts once.
  if record.ml then give_money_back(record.ml) end
  record.ml = {day, arg.amount}
  for i = 1, tonumber(arg.money) do
    record.ml[i + 2] = arg['limit' .. i]
    redis.call('HINCRBY', money, 'a' .. record.ml[i + 2], arg.amount)
    redis.call('HINCRBY', money, 'n' .. record.ml[i + 2], 1)
  end
  redis.call('PEXPIRE', money, text(2 * DAY_MS), 'NX')
end
enter_state(id, record, {to = 'R', now = now, owner = arg.owner, caller = arg.caller,
                         evidence = look_first and 'claimed, to look first' or 'claimed',
                         lease_end = now + tonumber(arg.lease)})
return answer(look_first and 'look_first' or 'claimed',
              {attempt = record.a, state = 'R', since = now, order = arg.order, fresh = fresh, unproven = unproven})
