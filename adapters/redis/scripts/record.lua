-- Put before every script on operations: what they share.
-- ARGV[1] <project>, what all keys of the project begin with; ARGV[2] the key of the store's epoch; ARGV[3] ms added to
-- Redis' clock (tests); ARGV[4] ms that DONE and NOT_EXECUTED are kept once they are drained; then names and values by
-- turns, in `arg`. A script names no key of another project: keyspace.h.
--
-- Record, hash <project>o:<16 bytes of the id>:
--   s state: R RUNNING, D DONE, U UNKNOWN, N NOT_EXECUTED, V NEEDS_REVIEW
--   a attempt   h first eight characters of the epoch that the attempt began in   w owner: who claimed it
--   u caller: who asked for it
--   l lease end   v token of the resolver that took it   vl end of the resolver's lease
--   r rpc   k, f key id and digest of the fingerprint   c capture_mode   x traceparent
--   g order of the gate   b created   e in this state since   o order that it is about
--   y review reason   z sealed outcome   kn how it is known: A answered, R recovered
--   lf "1": a run of this key may have been forgotten; while RUNNING: and nothing was SENT in this attempt
--   ab "1": closed by absence   np "0": each earlier attempt ended by a proof that it had no effect
--   m misses   mt the same number: in none of them was what the step is about there   ps looks so far in this state
--   ro 16 bytes of the operation that a review record is about
--   oo ids of the orphans that were noted, with commas
--   pn, p<i> steps: state letter (S SENT, D DONE, U UNKNOWN, N NOT_SENT), sent at, "\n", evidence message
--   tn, t<n> transitions from 1: from, to, time, and each after "\n": attempt, owner, order, review reason, orphan,
--     caller where an attempt begins, evidence   td so many of them are drained
-- Gate, string <project>g:<order>: id of the operation that holds it. Without expiry.
-- Fresh order, string <project>n:<order>: when an operation of ours made it. Kept 60 s.
-- Operations of an order, sorted set <project>i:<order>: ids by the time they first named it; all that are open, and
--   the newest of the others, 64 in all.
-- Indexes, sorted sets <project>operations:{running,unknown,needs_review}: ids by time of entering the state;
--   :due: ids by the time when the lease of RUNNING ends, or UNKNOWN or NOT_EXECUTED by absence is looked at next;
--   :undrained: ids by time of the first transition that is not on the topic; :draining: those that a drainer has, by
--   the end of its lease. Hash <project>operations:reviews: NEEDS_REVIEW by reason.
-- Epoch of the store, hash: id; layout: which version of these keys the store has; run: the server's run id; since,
--   until: when the doubt began and ends, 0 for none.
-- Times are ms of Redis' clock.
-- The first write of a script is one that a server without memory refuses, or (where it frees memory) one that it never
-- refuses: Redis lets a script that has written go on to its end, so nothing is left half done.

local prefix, epoch_key, offset, closed_retention = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local arg = {}
for i = 5, #ARGV, 2 do arg[ARGV[i]] = ARGV[i + 1] end

local KEPT_TRANSITIONS, MAX_UNDRAINED, MAX_OF_ORDER, MAX_ORPHANS, FRESH_MS = 32, 96, 64, 64, 60000
local INDEX = {R = 'running', U = 'unknown', V = 'needs_review'}

local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + offset
end

-- A time as text: Lua writes large numbers with an exponent.
local function text(number) return string.format('%.0f', number) end
-- A number that a record holds; 0 where it is damaged.
local function number_of(value) return tonumber(value or '') or 0 end
local function line(value) return (string.gsub(value or '', '\n', ' ')) end

local function record_key(id) return prefix .. 'o:' .. id end
local function gate_key(order) return prefix .. 'g:' .. order end
local function fresh_key(order) return prefix .. 'n:' .. order end
local function order_key(order) return prefix .. 'i:' .. order end
local function index_key(state) return prefix .. 'operations:' .. INDEX[state] end
local due_key = prefix .. 'operations:due'
local undrained_key, draining_key = prefix .. 'operations:undrained', prefix .. 'operations:draining'
local reviews_key = prefix .. 'operations:reviews'

-- {id, short, since, doubtful_until}, short as records and marks have it; nil without an epoch.
local function read_epoch()
  local found = redis.call('HMGET', epoch_key, 'id', 'since', 'until')
  if not found[1] then return nil end
  return {id = found[1], short = string.sub(found[1], 1, 8), since = tonumber(found[2] or 0),
          doubtful_until = tonumber(found[3] or 0)}
end

-- Whether an operation in this state is open; one of a later version's states is.
local function is_open(state) return state and state ~= 'D' and state ~= 'N' end

-- Who else holds the gate of an order. One whose operation is closed or gone is free.
local function gate_holder(gate, id)
  local holder = redis.call('GET', gate_key(gate))
  if not holder or holder == id then return nil end
  return is_open(redis.call('HGET', record_key(holder), 's')) and holder or nil
end

local function last_step(key)
  local field = 'p' .. (redis.call('HGET', key, 'pn') or '0')
  return redis.call('HGET', key, field) or nil, field
end

-- Changes the state letter of the last step; with evidence, also that. Without a step it makes one that nobody sent, as
-- if at `sent_at`.
local function set_last_step(key, letter, evidence, sent_at)
  local step, field = last_step(key)
  if not step then
    redis.call('HSET', key, 'pn', 1)
    step, field = 'S' .. (sent_at or '0') .. '\n', 'p1'
  end
  local sent, old = string.match(step, '^.(%d+)\n(.*)$')
  if not sent then sent, old = '0', '' end  -- damaged
  if evidence == '' then evidence = nil end
  redis.call('HSET', key, field, letter .. sent .. '\n' .. (evidence or old))
end

-- Takes what is closed out of a list, oldest first, until it is no longer too long.
local function shorten_list(list)
  local surplus = redis.call('ZCARD', list) - MAX_OF_ORDER
  if surplus <= 0 then return end
  for _, id in ipairs(redis.call('ZRANGE', list, 0, -1)) do
    if surplus <= 0 then return end
    if not is_open(redis.call('HGET', record_key(id), 's')) then
      redis.call('ZREM', list, id)
      surplus = surplus - 1
    end
  end
end

-- Puts the operation into the list of an order. The list stays as long as one in it is open and has no lease that ends.
local function list_under_order(order, id, from, to, now)
  if not order or order == '' then return end
  local list = order_key(order)
  redis.call('ZADD', list, 'NX', text(now), id)
  shorten_list(list)
  if to == 'U' or to == 'V' then
    redis.call('PERSIST', list)
    return
  end
  if redis.call('PTTL', list) == -1 then
    for _, other in ipairs(redis.call('ZRANGE', list, 0, -1)) do
      local state = redis.call('HGET', record_key(other), 's')
      if other ~= id and is_open(state) and state ~= 'R' then return end
    end
  end
  redis.call('PEXPIRE', list, closed_retention)
end

-- Adds a transition and its place in the outbox. A record does not expire before it is drained.
local function add_transition(id, key, from, to, now, owner, evidence, orphan, caller)
  local count = redis.call('HINCRBY', key, 'tn', 1)
  local known = redis.call('HMGET', key, 'a', 'o', 'y', 'td')
  local reason = to == 'V' and known[3] or ''
  redis.call('HSET', key, 't' .. count,
             table.concat({from .. to .. text(now), known[1] or '0', line(owner), line(known[2] or ''), line(reason),
                           line(orphan), line(caller), evidence}, '\n'))
  if count - KEPT_TRANSITIONS <= number_of(known[4]) then
    redis.call('HDEL', key, 't' .. (count - KEPT_TRANSITIONS))
  end
  redis.call('ZADD', undrained_key, 'NX', text(now), id)
  redis.call('PERSIST', key)
end

local function count_review(reason, by)
  if redis.call('HINCRBY', reviews_key, reason, by) <= 0 then redis.call('HDEL', reviews_key, reason) end
end

-- Enters a state, from '-' for a new record. change: id, key, from, to, now, owner, evidence; caller where an attempt
-- begins; reason for NEEDS_REVIEW;
-- look: when UNKNOWN is looked at next, or NOT_EXECUTED that was concluded from absence; lease_end for RUNNING.
local function enter_state(change)
  local id, key, from, to, now = change.id, change.key, change.from, change.to, change.now
  local reason_before = redis.call('HGET', key, 'y')
  redis.call('HSET', key, 's', to, 'e', text(now))
  if from == 'V' then count_review(reason_before or '', -1) end
  if to == 'V' then
    redis.call('HSET', key, 'y', change.reason)
    count_review(change.reason, 1)
  else
    redis.call('HDEL', key, 'y')
  end
  add_transition(id, key, from, to, now, change.owner, change.evidence, nil, change.caller)

  if INDEX[from] then redis.call('ZREM', index_key(from), id) end
  if INDEX[to] then redis.call('ZADD', index_key(to), text(now), id) end
  local due = change.lease_end or change.look
  if due then redis.call('ZADD', due_key, text(due), id) else redis.call('ZREM', due_key, id) end
  redis.call('HDEL', key, 'm', 'mt', 'ps', 'vl', 'ab', 'l')
  if to == 'R' then redis.call('HSET', key, 'l', text(change.lease_end)) end
  if to == 'N' and change.look then redis.call('HSET', key, 'ab', '1') end
  -- Of an attempt that began before the memory was lost: a later step or attempt may have gone with it.
  local epoch = to == 'N' and read_epoch()
  if to == 'N' and not (epoch and epoch.short == redis.call('HGET', key, 'h')) then
    redis.call('HSET', key, 'lf', '1')
  end

  local found = redis.call('HMGET', key, 'g', 'o')
  if (to == 'D' or to == 'N') and found[1] and redis.call('GET', gate_key(found[1])) == id then
    redis.call('DEL', gate_key(found[1]))
  end
  list_under_order(found[2], id, from, to, now)
end

-- Closes a RUNNING operation whose lease has ended: what was SENT may have had its effect. Answers the new state.
local function expire(id, key, now)
  local last = last_step(key)
  local sent = last and string.sub(last, 1, 1) == 'S'
  if sent then set_last_step(key, 'U') end
  enter_state({id = id, key = key, from = 'R', to = sent and 'U' or 'N', now = now, owner = 'lease',
               evidence = 'lease ended without a result', look = sent and now or nil})
  return sent and 'U' or 'N'
end

-- The record as field and value by turns; without what is large or secret (outcome, fingerprint), with `due`. nil when
-- there is none.
local function read_record(id)
  local all = redis.call('HGETALL', record_key(id))
  if #all == 0 then return nil end
  local shown = {'due', redis.call('ZSCORE', due_key, id) or ''}
  for i = 1, #all, 2 do
    if all[i] ~= 'z' and all[i] ~= 'f' and all[i] ~= 'k' then
      shown[#shown + 1] = all[i]
      shown[#shown + 1] = all[i + 1]
    end
  end
  return shown
end
