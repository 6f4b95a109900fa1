-- Put before every script on operations: what they share.
-- ARGV[1] <project>, what all keys of the project begin with; ARGV[2] the key of the store's epoch; ARGV[3] ms added to
-- Redis' clock (tests); ARGV[4] a map of names and texts in MessagePack, `arg`: one that is not given is ''. A script
-- names no key of another project: keyspace.h.
-- This runs before each script, so it is measured (./dev bench store): no more commands and functions than most need.
--
-- Record, string <project>o:<16 bytes of the id>, a map in MessagePack. A field that is not needed is not there; one of
-- a later version stays as it is.
--   V version of this form
--   s state: R RUNNING, D DONE, U UNKNOWN, N NOT_EXECUTED, V NEEDS_REVIEW, A AWAITS_APPROVAL
--   a attempt   h first eight characters of the epoch that the attempt began in   w owner: who claimed it
--   u caller: who asked for it
--   l lease end; of A when it is over   v token of the resolver that took it   vl end of the resolver's lease
--   r rpc, without `tollbridge`   k, f key id and digest of the fingerprint   c capture_mode   x traceparent
--   g order of the gate   b created   e in this state since   o order that it is about
--   y review reason   z sealed outcome   kn how it is known: A answered, R recovered
--   lf 1: a run of this key may have been forgotten; while RUNNING, UNKNOWN or NEEDS_REVIEW: and nothing was SENT in
--     this attempt
--   q with lf, while RUNNING: the step that evidence would show of that run; without it nothing would
--   ab 1: closed by absence   np 0: each earlier attempt ended by a proof that it had no effect
--   m misses   mt the same number: in none of them was what the step is about there   ps looks so far in this state;
--     with lf, also of the attempts before it
--   sn while RUNNING or UNKNOWN, and with lf: ids of the orders that readers saw with the operation's mark, each with a
--     comma
--   ro 16 bytes of the operation that a review record is about
--   ml what it holds of the limits of money: day, amount, names of the limits; until DONE or NOT_EXECUTED
--   ap what a second person was asked for (approval.lua)
--   oo ids of the orphans that were noted, with commas
--   p steps: {state letter (S SENT, D DONE, U UNKNOWN, N NOT_SENT), sent at, message}
--   n transitions so far   t the last of them: from, to, time, and each after "\n": attempt, owner, order, review reason,
--     orphan, caller where an attempt begins, evidence
--   ev evidence of the only result, in place of t; d from b to e: its first attempt was claimed and answered, and what
--     follows from that is left out (compact)
-- Tombstone, field <16 bytes of the id> of one of the hashes <project>t:<fourteen bits of it>: see retire.lua.
-- Gate, string <project>g:<order>: id of the operation that holds it.
-- Operation that made an order, in the hash of its family <project>f:<order> (family_state.lua): n when, i its id.
-- Other operations of an order, sorted set <project>i:<order>: ids by the time they first named it; all that are open,
--   and the newest of the others, 64 in all.
-- Indexes, sorted sets <project>operations:{running,unknown,needs_review,awaits_approval}: ids, of RUNNING by the end of
--   the lease, of AWAITS_APPROVAL by when it is over, of the others by time of entering the state; :due: ids by the time when UNKNOWN or NOT_EXECUTED by absence is looked
--   at next. Hash <project>operations:reviews: NEEDS_REVIEW by reason.
-- Outbox, stream <project>operations:transitions: i id (and behind it that of the operation which a review record is
--   about), t number, rpc, and the transition as in the record, each after "\n". String <project>operations:drainer: end
--   of the lease, "\n", who drains it.
-- Limits of money, hash <project>operations:money:<day since 1970>: of each limit `a` and its name, the amount that was
--   taken in the day, and `n` and its name, how often. Gone two days later.
-- Refused calls, stream <project>operations:refused: r OperationRecord.
-- Lists <project>operations:{closed,tombstones}: id and time of what was closed and drained, and of tombstones.
-- Epoch of the store, hash: id; layout: which version of these keys the store has; run: the server's run id; history:
--   its replication id; since, until: when the doubt began and ends, 0 for none; cause: the same id, why the doubt began
--   (memory_lost, restart, failover), and, where an earlier one lasts longer, why that began; earlier: ids of the epochs
--   before, and of those that connections had learned elsewhere, the newest first; <project>, for each that the store
--   serves: since and until of its own, with a space between; of one that is about to come any other text
--   (join_store.lua).
-- Nothing here expires but what enter_order (effects.lua) leaves, and limits of money. Times are ms of Redis' clock.
-- The first write of a script is one that a server without memory refuses, or (where it frees memory) one that it never
-- refuses: Redis lets a script that has written go on to its end, so nothing is left half done.

local prefix, epoch_key, offset = ARGV[1], ARGV[2], tonumber(ARGV[3])
local arg = setmetatable(cmsgpack.unpack(ARGV[4]), {__index = function() return '' end})

local RECORD_VERSION, KEPT_TRANSITIONS, MAX_OF_ORDER, MAX_ORPHANS, MAX_SEEN = 1, 32, 64, 64, 8
local FRESH_MS, DIGEST_BYTES = 60000, 16
local INDEX = {R = 'running', U = 'unknown', V = 'needs_review', A = 'awaits_approval'}

local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + offset
end

-- A time as text: Lua writes large numbers with an exponent.
local function text(number) return string.format('%.0f', number) end
local function line(value) return (string.gsub(value, '\n', ' ')) end

local function record_key(id) return prefix .. 'o:' .. id end
local function gate_key(order) return prefix .. 'g:' .. order end
local function family_key(order) return prefix .. 'f:' .. order end
local function order_key(order) return prefix .. 'i:' .. order end
local function operations_key(name) return prefix .. 'operations:' .. name end
local function index_key(state) return operations_key(INDEX[state]) end
local function tombstone_key(id)
  local first, second = string.byte(id, 1, 2)
  return prefix .. 't:' .. (first * 64 + math.floor(second / 4))
end
local function due_key() return operations_key('due') end
local function reviews_key() return operations_key('reviews') end
local transitions_key = operations_key('transitions')

-- The record of an operation; nil where there is none. Of one that cannot be read, of a later version or damaged, there
-- is the state '?' alone: it is open, and nobody changes it.
local function load(id)
  local value = redis.call('GET', record_key(id))
  if not value then return nil end
  local readable, record = pcall(cmsgpack.unpack, value)
  if not readable or type(record) ~= 'table' or record.V ~= RECORD_VERSION then return {s = '?'} end
  if record.d then  -- see compact
    record.a, record.n, record.kn, record.b = 1, 2, record.kn or 'A', record.e - record.d
    record.p[1][2], record.d = record.b, nil
  end
  return record
end

local function save(id, record) redis.call('SET', record_key(id), cmsgpack.pack(record)) end

-- The two times of a project that is on the store's list.
local function is_listed(found) return string.match(found or '', '^(%d+) (%d+)$') end

-- {id, short, since, doubtful_until}, short as records and marks have it: what is in doubt is the store, or the project
-- in it. nil without an epoch, or where the project is not on the store's list; then also the epoch's id, if there is one.
local function read_epoch()
  local found = redis.call('HMGET', epoch_key, 'id', 'since', 'until', prefix)
  local joined, doubted = is_listed(found[4])
  if not found[1] or not joined then return nil, found[1] end
  return {id = found[1], short = string.sub(found[1], 1, 8), since = math.max(found[2], joined),
          doubtful_until = math.max(found[3], doubted)}
end

-- Why the server is another one than that of this run id and this replication id: 'restart' or 'failover'; nil where it
-- is the same. Also its own of both.
local function change_of_server(known_run, known_history)
  local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
  -- A promotion keeps the replication id before it as the second one. An id that changed without one (the first replica
  -- came, or the last has been away for long) has none: all zeros.
  local replication = redis.call('INFO', 'replication')
  local history = string.match(replication, 'master_replid:(%x+)') or ''
  local promoted = string.match(string.match(replication, 'master_replid2:(%x+)') or '', '[^0]')
  local cause = promoted and known_history and known_history ~= history and 'failover' or
      known_run ~= run and 'restart' or nil
  return cause, run, history
end

-- When the store, or the project in it, came to be doubted last: now, where nobody has noticed yet that it must be. Claims
-- and the resolver begin the doubt (learn_epoch.lua); what comes before them, or was on its way, asks the server itself.
local function doubted_since(epoch)
  if not epoch.doubted then
    local learned = redis.call('HMGET', epoch_key, 'run', 'history')
    epoch.doubted = change_of_server(learned[1], learned[2]) and now_ms() or tonumber(epoch.since)
  end
  return epoch.doubted
end

-- Whether nothing of the attempt can have been forgotten, nor run in another store: neither store nor project came to be
-- doubted since it began.
local function is_whole(record, epoch)
  local first = record.p and record.p[1]
  local began = first and first[2] > 0 and first[2] or record.e
  return epoch and epoch.short == record.h and began >= doubted_since(epoch)
end

-- Whether an operation is open; one in a later version's state is.
local function is_open(record) return record and record.s ~= 'D' and record.s ~= 'N' end

-- Who else holds the gate of an order. One whose operation is closed or gone is free.
local function gate_holder(gate, id)
  local holder = redis.call('GET', gate_key(gate))
  if not holder or holder == id then return nil end
  return is_open(load(holder)) and holder or nil
end

local function last_step(record) return record.p and record.p[#record.p] end

-- Changes the state letter of the last step; with evidence, also that. Without a step it makes one that nobody sent, as
-- if at `sent_at`.
local function set_last_step(record, letter, evidence, sent_at)
  local step = last_step(record)
  if not step then
    step = {'S', sent_at or 0, ''}
    record.p = {step}
  end
  step[1] = letter
  if evidence ~= '' then step[3] = evidence or step[3] end
end

-- Takes what is closed out of a list, oldest first, until it is no longer too long.
local function shorten_list(list)
  local surplus = redis.call('ZCARD', list) - MAX_OF_ORDER
  if surplus <= 0 then return end
  for _, id in ipairs(redis.call('ZRANGE', list, 0, -1)) do
    if surplus <= 0 then return end
    if not is_open(load(id)) then
      redis.call('ZREM', list, id)
      surplus = surplus - 1
    end
  end
end

-- Puts the operation into the list of an order.
local function list_under_order(order, id, now)
  if not order or order == '' then return end
  if redis.call('ZADD', order_key(order), 'NX', text(now), id) == 1 then shorten_list(order_key(order)) end
end

-- Adds a transition to the record and to the outbox.
local function add_transition(id, record, from, to, now, owner, evidence, orphan, caller)
  record.n = (record.n or 0) + 1
  local order, reason = record.o or '', to == 'V' and record.y or ''
  orphan, caller = orphan or '', caller or ''
  if string.find(owner .. order .. reason .. orphan .. caller, '\n', 1, true) then
    owner, order, reason, orphan, caller = line(owner), line(order), line(reason), line(orphan), line(caller)
  end
  local transition = table.concat({from .. to .. text(now), record.a or 0, owner, order, reason, orphan, caller,
                                   evidence}, '\n')
  record.t = record.t or {}
  table.insert(record.t, transition)
  if #record.t > KEPT_TRANSITIONS then table.remove(record.t, 1) end
  redis.call('XADD', transitions_key, '*', 'i', id .. (record.ro or ''),
             't', record.n .. '\n' .. (record.r or '') .. '\n' .. transition)
end

local function count_review(reason, by)
  if redis.call('HINCRBY', reviews_key(), reason, by) <= 0 then redis.call('HDEL', reviews_key(), reason) end
end

-- Of an operation whose first attempt was claimed and answered, as nearly all are, nothing is kept twice, nor what only
-- those need that are not closed: the step without its order and what it is searched by, 16 bytes of the digest.
local function compact(record, owner, evidence)
  local step = record.p and #record.p == 1 and record.p[1]
  local plain = record.n == 2 and #record.t == 2 and record.a == 1 and owner == record.w
  if not plain or not step or step[2] ~= record.b or string.sub(record.t[1], -8) ~= '\nclaimed' then return end
  record.t, record.ev, step[2], step[3] = nil, evidence, 0, arg.kept_step
  record.d, record.a, record.n, record.b = record.e - record.b, nil, nil, nil
  if record.kn == 'A' then record.kn = nil else record.kn = record.kn or '' end
  record.x, record.np, record.f = nil, nil, string.sub(record.f, 1, DIGEST_BYTES)
end

-- A day that is long over has no key any more.
local function give_money_back(held)
  local key = operations_key('money:' .. text(held[1]))
  if redis.call('EXISTS', key) == 0 then return end
  for i = 3, #held do
    redis.call('HINCRBY', key, 'a' .. held[i], text(0 - tonumber(held[2])))
    redis.call('HINCRBY', key, 'n' .. held[i], -1)
  end
end

-- Enters a state, from '-' for a new record, and saves the record. change: to, now, owner, evidence; caller where an
-- attempt begins; reason for NEEDS_REVIEW; look: when UNKNOWN is looked at next, or NOT_EXECUTED that was concluded from
-- absence; lease_end for RUNNING and AWAITS_APPROVAL; made_order: its order's family names it; unsent: it is proven that
-- the attempt did nothing, so that what a second person allowed is not used up.
local function enter_state(id, record, change)
  local from, to, now, reason_before = record.s or '-', change.to, change.now, record.y
  -- A later step or attempt may have gone with the memory, or have run in another store.
  if to == 'N' and not is_whole(record, read_epoch()) then record.lf = 1 end
  -- Looks for a forgotten run add up, and the resolver keeps its turn: a key that comes again and again does not keep it
  -- UNKNOWN for ever.
  local looks_on = record.lf == 1 and (from == 'U' or from == 'R') and (to == 'U' or to == 'R')
  record.s, record.e, record.y = to, now, to == 'V' and change.reason or nil
  record.m, record.mt, record.vl, record.ab = nil, nil, nil, to == 'N' and change.look and 1 or nil
  record.ps, record.l = looks_on and record.ps or nil, change.lease_end
  -- A conclusion knew of what was seen; an older process may have kept it all the same.
  local seen_before = from == 'U' or from == 'R' or record.lf == 1
  record.sn = seen_before and (to == 'U' or to == 'R' or to == 'A') and record.sn or nil
  if record.ml and (to == 'D' or to == 'N') then
    -- Of what was not done nothing counts.
    if to == 'N' then give_money_back(record.ml) end
    record.ml = nil
  end
  local approval = record.ap
  if approval and to ~= 'A' and (approval.to or not (to == 'R' or to == 'U' or change.unsent)) then approval.ov = 1 end
  -- The next attempt may run under it as this one did.
  if approval and change.unsent and approval.f == record.a - 1 then approval.f = record.a end
  add_transition(id, record, from, to, now, change.owner, change.evidence, nil, change.caller)
  if to == 'D' then compact(record, change.owner, change.evidence) end
  save(id, record)

  if from == 'V' then count_review(reason_before or '', -1) end
  if to == 'V' then count_review(change.reason, 1) end
  if INDEX[from] and from ~= to then redis.call('ZREM', index_key(from), id) end
  if INDEX[to] then redis.call('ZADD', index_key(to), text(change.lease_end or now), id) end
  if looks_on then
    if change.look then redis.call('ZADD', due_key(), 'LT', text(change.look), id) end
  elseif change.look then
    redis.call('ZADD', due_key(), text(change.look), id)
  elseif from == 'U' or from == 'N' then
    redis.call('ZREM', due_key(), id)
  end
  if (to == 'D' or to == 'N') and record.g and redis.call('GET', gate_key(record.g)) == id then
    redis.call('DEL', gate_key(record.g))
  end
  if not change.made_order then list_under_order(record.o, id, now) end
end

-- The last time at which a run can have been sent that the store has forgotten.
local function forgotten_until(now)
  local epoch = read_epoch()
  return epoch and doubted_since(epoch) or now
end

-- Ends an attempt in which nothing was sent. What an earlier run did that may have been forgotten is looked for, if
-- evidence would show it: until then nobody knows whether the operation was executed.
local function end_unsent(id, record, now, owner, evidence)
  local looked_for = record.lf == 1 and record.q
  record.q = nil
  if last_step(record) then set_last_step(record, 'N') end
  if looked_for then set_last_step(record, 'U', looked_for, forgotten_until(now)) end
  enter_state(id, record, {to = looked_for and 'U' or 'N', now = now, owner = owner, evidence = evidence,
                           look = looked_for and now or nil, unsent = true})
end

-- Closes a RUNNING operation whose lease has ended: what was SENT may have had its effect.
local function expire(id, record, now)
  local last, evidence = last_step(record), 'lease ended without a result'
  if not last or last[1] ~= 'S' then return end_unsent(id, record, now, 'lease', evidence) end
  set_last_step(record, 'U')
  enter_state(id, record, {to = 'U', now = now, owner = 'lease', evidence = evidence, look = now})
end

-- The transitions that are kept, oldest first.
local function transitions_of(record)
  if record.t or not record.ev then return record.t or {} end
  local function transition(states, time, caller, evidence)
    return table.concat({states .. text(time), record.a, line(record.w), '', '', '', line(caller), evidence}, '\n')
  end
  return {transition('-R', record.b, record.u or '', 'claimed'), transition('RD', record.e, '', record.ev)}
end
