-- Claims an idempotency key and records its first step as SENT (operations.md, rules 1, 5, 7, 8, 9).
-- Compares: the epoch id with the one the caller learned; the fingerprint by its key id; the state; the gate's holder.
-- Sets, only when it answers `claimed`: the record RUNNING with the first step SENT, the gate, both indexes.
-- RUNNING whose lease has ended is closed on the way, and the claim goes on with what it became.
-- Answers {verdict, attempt, state, since, ms until the lease ends, order, outcome, holder of the gate}.
local epoch, id, owner, lease = ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
local rpc, project, capture_mode, traceparent, gate = ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12]
local step, order = ARGV[13], ARGV[14]
local FINGERPRINTS = 15  -- from here on key id and digest by turns, the current key first

local function answer(verdict, fields)
  return {verdict, fields.attempt or 0, fields.state or '', fields.since or 0, fields.wait or 0,
          fields.order or '', fields.outcome or '', fields.holder or ''}
end

if epoch_id() ~= epoch then return answer('epoch', {}) end

local key, now = record_key(id), now_ms()
local found = redis.call('HMGET', key, 's', 'a', 'k', 'f', 'e', 'l', 'o')
local state, attempt, since = found[1], tonumber(found[2] or 0), tonumber(found[5] or 0)

if state then
  -- A key id that nobody gave cannot be compared: what cannot be shown to be the same request is another one.
  local same = false
  for i = FINGERPRINTS, #ARGV, 2 do
    if ARGV[i] == found[3] then same = ARGV[i + 1] == found[4] end
  end
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
end

if gate ~= '' then
  local holder = redis.call('GET', gate_key(gate))
  if holder and holder ~= id then
    local holds = redis.call('HGET', record_key(holder), 's')
    if holds and INDEX[holds] then return answer('order_busy', {holder = holder}) end
  end
  redis.call('SET', gate_key(gate), id)
end

attempt = attempt + 1
if state then
  -- A new attempt: nothing of the last one's steps stays; its transitions do.
  for i = 2, tonumber(redis.call('HGET', key, 'pn') or 0) do redis.call('HDEL', key, 'p' .. i) end
  redis.call('HDEL', key, 'o', 'g', 'y')
else
  redis.call('HSET', key, 'b', now)
end
redis.call('HSET', key, 'a', attempt, 'w', owner, 'l', now + lease, 'r', rpc, 'j', project,
           'k', ARGV[FINGERPRINTS], 'f', ARGV[FINGERPRINTS + 1], 'c', capture_mode, 'x', traceparent,
           'pn', 1, 'p1', 'S' .. string.format('%.0f', now) .. '\n' .. step)
if gate ~= '' then redis.call('HSET', key, 'g', gate) end
if order ~= '' then redis.call('HSET', key, 'o', order) end
enter_state(id, key, state or '-', 'R', now, owner, 'claimed')
redis.call('ZADD', due_key, now + lease, id)
return answer('claimed', {attempt = attempt, state = 'R', since = now})
