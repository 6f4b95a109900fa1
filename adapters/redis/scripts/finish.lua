-- Records the result of an operation, its outcome and its order's due entry (operations.md, rules 5, 8, 10, 16).
-- Compares: state, attempt and owner; DONE for the current attempt is accepted from anyone. A result without a
-- record (memory was lost), or for an attempt that the record does not know yet (a failover lost it), is written.
-- Sets, when it answers `recorded`: state, last step, outcome, transition, indexes; releases the gate for DONE and
-- NOT_EXECUTED; the order's entry beside its family's snapshot, and the family due now.
-- `late_effect`: a success under NOT_EXECUTED or an older attempt. Unless it is an orphan it opens the review record
-- <record>:review:<attempt>, and an operation that says NOT_EXECUTED goes to NEEDS_REVIEW so that its key cannot run
-- again; the outcome and the gate stay as they are.
local id, attempt, owner, to, evidence = ARGV[4], tonumber(ARGV[5]), ARGV[6], ARGV[7], ARGV[8]
local rpc, project, key_id, digest = ARGV[9], ARGV[10], ARGV[11], ARGV[12]
local capture_mode, traceparent, gate = ARGV[13], ARGV[14], ARGV[15]
local step, order, outcome, orphan = ARGV[16], ARGV[17], ARGV[18], ARGV[19] == '1'
local family, entry_capture_mode, entry_traceparent = ARGV[20], ARGV[21], ARGV[22]
local own_checkout, family_retention = ARGV[23], ARGV[24]
local STEP = {D = 'D', U = 'U', N = 'N', V = 'U'}

local key, now = record_key(id), now_ms()

-- The order's entry: what the first operation left stays, since later ones did not create the order.
local function enter_order()
  if family == '' then return end
  local family_key, due = prefix .. 'f:' .. family, prefix .. 'due'
  if entry_capture_mode ~= '' then redis.call('HSETNX', family_key, 'c', entry_capture_mode) end
  if entry_traceparent ~= '' then redis.call('HSETNX', family_key, 'x', entry_traceparent) end
  if own_checkout == '1' then redis.call('HSET', family_key, 'w', '1') end
  if redis.call('PTTL', family_key) == -1 then redis.call('PEXPIRE', family_key, family_retention) end
  -- Always a time that no reader has seen, so that one which is reading now does not overwrite it with its own.
  local time, current = now, tonumber(redis.call('ZSCORE', due, family) or 0)
  if current >= time and current < time + 1000 then time = current + 1 end
  redis.call('ZADD', due, time, family)
end

-- Fields of a record that is made from the result alone.
local function write_identity(target)
  redis.call('HSET', target, 'a', attempt, 'w', owner, 'r', rpc, 'j', project, 'k', key_id, 'f', digest,
             'c', capture_mode, 'x', traceparent, 'pn', 1, 'p1', 'S0\n' .. step)
  redis.call('HSETNX', target, 'b', now)
end

local function late_effect(state, current)
  if orphan then return 'late_effect' end
  local review = key .. ':review:' .. attempt
  if redis.call('EXISTS', review) == 0 then
    write_identity(review)
    redis.call('HSET', review, 'y', 'LATE_EFFECT')
    if order ~= '' then redis.call('HSET', review, 'o', order) end
    set_last_step(review, 'D')
    enter_state(id .. ':review:' .. attempt, review, '-', 'V', now, owner, evidence)
  end
  if state == 'N' and attempt == current then
    redis.call('HSET', key, 'y', 'LATE_EFFECT')
    if order ~= '' then redis.call('HSET', key, 'o', order) end
    enter_state(id, key, 'N', 'V', now, owner, evidence)
  end
  enter_order()
  return 'late_effect'
end

local found = redis.call('HMGET', key, 's', 'a', 'w', 'y')
local state, current = found[1], tonumber(found[2] or 0)

if state and attempt <= current then
  local late = state == 'N' or (state == 'V' and found[4] == 'LATE_EFFECT')
  if to == 'D' and (attempt < current or late) then return late_effect(state, current) end
  if attempt < current then return 'not_ours' end
  if state == 'D' then return 'already_closed' end
  if to ~= 'D' then
    if found[3] ~= owner then return 'not_ours' end
    if to == state then  -- the same write again, after an answer that got lost
      enter_order()
      return 'recorded'
    end
    if state ~= 'R' and state ~= 'U' then return 'not_ours' end
  end
elseif state == 'D' then
  return 'already_closed'
else
  write_identity(key)
  if gate ~= '' then
    redis.call('HSET', key, 'g', gate)
    if to == 'U' or to == 'V' then redis.call('SET', gate_key(gate), id, 'NX') end
  end
end

set_last_step(key, STEP[to], step)
if order ~= '' then redis.call('HSET', key, 'o', order) end
if to == 'V' then redis.call('HSET', key, 'y', evidence) else redis.call('HDEL', key, 'y') end
if to == 'D' and outcome ~= '' then redis.call('HSET', key, 'z', outcome) end
enter_state(id, key, state or '-', to, now, owner, evidence)
enter_order()
return 'recorded'
