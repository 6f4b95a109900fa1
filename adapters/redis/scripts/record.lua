-- Put before every script on operations: what they share.
-- ARGV[1] key prefix; ARGV[2] ms added to Redis' clock (tests); ARGV[3] ms that DONE and NOT_EXECUTED are kept.
--
-- Record, hash <prefix>o:<16 bytes of the id>:
--   s state: R RUNNING, D DONE, U UNKNOWN, N NOT_EXECUTED, V NEEDS_REVIEW
--   a attempt   w owner   l lease end   r rpc   j project   k, f key id and digest of the fingerprint
--   c capture_mode   x traceparent   g order of the gate   b created   e in this state since
--   o order that it is about   y review reason   z sealed outcome
--   pn, p<i> steps: state letter (S SENT, D DONE, U UNKNOWN, N NOT_SENT), sent at, "\n", evidence message
--   tn, t<n % 32> transitions: from, to, time, "\n", owner, "\n", evidence
-- Gate, string <prefix>g:<order>: id of the operation that holds it.
-- Indexes, sorted sets <prefix>operations:{running,unknown,needs_review}: ids by time of entering the state;
--   <prefix>operations:due: ids of RUNNING operations by lease end.
-- Times are ms of Redis' clock.

local prefix, offset, closed_retention = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local MAX_TRANSITIONS = 32
local INDEX = {R = 'running', U = 'unknown', V = 'needs_review'}

local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + offset
end

local function record_key(id) return prefix .. 'o:' .. id end
local function gate_key(order) return prefix .. 'g:' .. order end
local function index_key(state) return prefix .. 'operations:' .. INDEX[state] end
local due_key = prefix .. 'operations:due'

local function epoch_id() return redis.call('HGET', prefix .. 'epoch', 'id') end

-- Changes the state letter of the last step; with evidence, also that.
local function set_last_step(key, letter, evidence)
  local field = 'p' .. (redis.call('HGET', key, 'pn') or '0')
  local sent_at, old = string.match(redis.call('HGET', key, field) or 'S0\n', '^.(%d+)\n(.*)$')
  redis.call('HSET', key, field, letter .. sent_at .. '\n' .. (evidence or old))
end

local function add_transition(key, from, to, now, owner, evidence)
  local count = redis.call('HINCRBY', key, 'tn', 1)
  redis.call('HSET', key, 't' .. (count % MAX_TRANSITIONS),
             from .. to .. string.format('%.0f', now) .. '\n' .. string.gsub(owner, '\n', ' ') .. '\n' .. evidence)
end

-- Enters a state, from '-' for a new record: transition, indexes, gate and how long the record is kept.
local function enter_state(id, key, from, to, now, owner, evidence)
  redis.call('HSET', key, 's', to, 'e', now)
  add_transition(key, from, to, now, owner, evidence)
  if INDEX[from] then redis.call('ZREM', index_key(from), id) end
  if INDEX[to] then redis.call('ZADD', index_key(to), now, id) end
  if to ~= 'R' then
    redis.call('ZREM', due_key, id)
    redis.call('HDEL', key, 'l')
  end
  if to == 'D' or to == 'N' then
    local gate = redis.call('HGET', key, 'g')
    if gate and redis.call('GET', gate_key(gate)) == id then redis.call('DEL', gate_key(gate)) end
    redis.call('PEXPIRE', key, closed_retention)
  else
    redis.call('PERSIST', key)
  end
end

-- Closes a RUNNING operation whose lease has ended: what was SENT may have had its effect. Answers the new state.
local function expire(id, key, now)
  local last = redis.call('HGET', key, 'p' .. (redis.call('HGET', key, 'pn') or '0'))
  local to = 'N'
  if last and string.sub(last, 1, 1) == 'S' then
    to = 'U'
    set_last_step(key, 'U')
  end
  enter_state(id, key, 'R', to, now, 'lease', 'lease ended without a result')
  return to
end
