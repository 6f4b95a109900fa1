-- Records the result of an operation, its outcome and its order's due entry (docs/design/operations.md#rule-4, #rule-5,
-- #rule-8, #rule-10, #rule-12, #rule-16).
-- Compares: state; epoch and attempt; the owner of the claim, or the token of the resolver. DONE for the current attempt
-- is accepted from anyone, NOT_EXECUTED from the claim's owner in any open state, the rest from RUNNING and UNKNOWN. A
-- result without a record (memory was lost), or for an attempt that the record does not know yet (a failover lost it),
-- is written.
-- Sets, when it answers `recorded`: state, last step, outcome, transition, indexes; releases the gate for DONE and
-- NOT_EXECUTED; the order's entry beside its family's snapshot, and the family due now.
-- NOT_EXECUTED of an attempt that sent nothing, where readers saw an order of a forgotten run: UNKNOWN.
-- A refusal is no effect: where a success would be a late one, it changes nothing.
-- `late_effect`: a success under NOT_EXECUTED of this attempt: the operation is in review, unless it is an orphan. Under
-- an older attempt: a review record of its own, or an orphan. The outcome and the gate stay as they are.
-- A record of a later version, or a damaged one, stays as it is.
local id, attempt, owner, to, evidence = arg.id, tonumber(arg.attempt), arg.owner, arg.to, arg.evidence
local now, record = now_ms(), load(arg.id)
local STEP = {D = 'D', U = 'U', N = 'N', V = 'U'}
local state, known = record and record.s, record ~= nil
-- What awaits approval has sent nothing since an attempt that was given up, or never.
local gave_up = state == 'N' or state == 'A'
if state == '?' then return 'not_ours' end
-- In this attempt: it had to look first, and has no step but what is looked for.
local nothing_sent = known and record.lf == 1 and
    (state == 'U' or (not last_step(record) and (state == 'R' or gave_up)))

-- How the attempt of the result stands to that of the record. Of two other epochs the number alone tells, and where it
-- does not, which is the older one nobody knows any more: then a person looks.
local function compare()
  if arg.epoch == record.h then
    return attempt == record.a and 'same' or (attempt < record.a and 'older' or 'newer')
  end
  local epoch = read_epoch()
  -- Numbers begin again where memory was lost: one alone closes nothing that may have had its effect.
  local lost = (to ~= 'N' or gave_up) and may_have_been_lost(record, epoch)
  return epoch and (epoch.short == arg.epoch or lost) and 'newer' or 'older'
end

-- Sets what a record has that is made from the result alone.
local function identify(made)
  made.a, made.h, made.w, made.u, made.r = attempt, arg.epoch, owner, arg.caller, arg.rpc
  made.k, made.f, made.c, made.x = arg.key1, arg.digest1, arg.capture_mode, arg.traceparent
  made.np = attempt > 1 and 1 or 0
  return made
end

-- A failover lost the step that the result is about: it comes behind those that are known.
local function append_step()
  local count = record.p and #record.p or 0
  if count == 0 or count >= tonumber(arg.step_number) then return end
  set_last_step(record, 'D')
  record.p[count + 1] = {'S', now - tonumber(arg.sent_ago), arg.step}
end

local made_order = to == 'D' and arg.created_order == '1' and arg.family ~= ''

local function change_to(target)
  local look = (to == 'U' or arg.by_absence == '1') and now + tonumber(arg.next_look) or nil
  if known then append_step() end
  -- UNKNOWN without a step: a look found what lacks something. Its quarantine begins now; or that of what is looked for
  -- has begun when the store began to be doubted.
  local look_first = arg.keep_look_first == '1' and (to == 'N' or to == 'U')
  local since = to == 'U' and (look_first and forgotten_until(now) or now) or nil
  if to ~= 'N' or last_step(record) then set_last_step(record, STEP[to], arg.step, since) end
  record.q = nil
  if arg.order ~= '' then record.o = arg.order end
  if to == 'D' or to == 'V' then keep_outcome(record) else record.z, record.kn = nil, nil end
  if look_first then
    record.lf = 1
  elseif not (nothing_sent and (to == 'V' or (to == 'D' and arg.knowledge == 'R'))) then
    record.lf = nil
  end
  if to == 'N' and arg.unproven == '1' then record.np = 1 end
  enter_state(id, record, {to = target, now = now, owner = owner, evidence = evidence,
                           caller = not known and arg.caller or nil, reason = arg.reason, look = look,
                           made_order = made_order and target == 'D',
                           unsent = (to == 'N' or look_first) and arg.unproven ~= '1' and arg.by_resolver ~= '1'})
end

local function late_effect(order_of_attempts)
  if arg.orphan == '1' then
    note_orphan(id, record, arg.order, now, owner)
    return 'late_effect'
  end
  if order_of_attempts == 'older' then
    local review = identify({p = {{'D', 0, arg.step}}, o = arg.order})
    keep_outcome(review)
    open_review(arg.review, review, id, 'LATE_EFFECT', now, owner, evidence)
  elseif gave_up then
    arg.reason = 'LATE_EFFECT'
    change_to('V')
  end
  enter_order(now)
  return 'late_effect'
end

-- Also one for another amount, which is for a person.
local success = (to == 'D' and arg.refused ~= '1') or (to == 'V' and arg.outcome ~= '')
-- Since the resolver took it an order with its mark was seen: it must look again.
if arg.by_resolver == '1' and not success and known and record.sn and record.sn ~= arg.seen then
  if state == 'U' then redis.call('ZADD', due_key(), 'LT', text(now), id) end
  return 'not_ours'
end
local standing = known and compare() or 'newer'
if standing == 'older' then
  if not success then return 'not_ours' end
  -- What was recovered in an attempt that sent nothing is this very effect.
  if state == 'D' and record.lf == 1 then return 'already_closed' end
  -- A success of an older epoch is simply the outcome where nothing else can have become it.
  if arg.epoch == record.h or not nothing_sent then
    -- What was found by reading may be a later attempt's effect: only an answer names its attempt.
    if arg.knowledge == 'R' then return 'not_ours' end
    return late_effect('older')
  end
  -- The same write again is a repeat then, and the answer of yet another run an effect of its own.
  if to == 'D' and arg.knowledge ~= 'R' then record.a, record.h = attempt, arg.epoch end
elseif standing == 'same' then
  if state == 'D' then return 'already_closed' end
  if to == 'V' and success and gave_up and not nothing_sent then return late_effect('same') end
  if to == 'D' then
    if (gave_up and not nothing_sent) or (state == 'V' and record.y == 'LATE_EFFECT') then
      return arg.refused == '1' and 'not_ours' or late_effect('same')
    end
  else
    local mine = arg.by_resolver == '1' and record.v == owner or arg.by_resolver ~= '1' and record.w == owner
    if not mine then return 'not_ours' end
    -- An order of a forgotten run was seen before anything was sent: that run is looked for, and what is looked for is
    -- not disproved by a run that sent nothing.
    if to == 'N' and arg.by_resolver ~= '1' and (state == 'R' or state == 'U') and record.lf == 1 and record.sn then
      if state == 'R' then end_unsent(id, record, now, owner, evidence) end
      enter_order(now)
      return 'recorded'
    end
    if to == state then  -- the same write again, after an answer that got lost
      enter_order(now)
      return 'recorded'
    end
    local open = state == 'U' or (state == 'R' and arg.by_resolver ~= '1')
    local disproved = to == 'N' and arg.by_resolver ~= '1' and state == 'V' and record.y ~= 'LATE_EFFECT' and
        record.lf ~= 1  -- a forgotten run is not disproved by one that sent nothing
    if not open and not disproved then return 'not_ours' end
  end
elseif state == 'D' then
  return 'already_closed'
else
  local tombstone = not known and redis.call('HGET', tombstone_key(id), id)
  if tombstone and string.sub(tombstone, 1, 1) == 'D' then return 'already_closed' end
  -- A record without an effect would let its key run again.
  if tombstone and not success then return 'not_ours' end
  record = identify(record or {V = RECORD_VERSION, b = now})
  record.v, record.p = nil, nil
  arg.step_number = '0'
  if arg.keep_look_first ~= '1' then
    -- When it was sent went with the record. Not before then: absence must not count too early.
    record.p = {{'S', now - tonumber(arg.sent_ago), arg.step}}
  end
  if arg.gate ~= '' then
    record.g = arg.gate
    if to == 'U' or to == 'V' then redis.call('SET', gate_key(arg.gate), id, 'NX') end
  end
  nothing_sent = false
end

change_to(to)
enter_order(now, made_order and id)
return 'recorded'
