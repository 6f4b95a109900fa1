-- Put after record.lua before the scripts that ask for a second person, and those that compare or end what was asked
-- (docs/design/operations.md#rule-19). What was asked for last is in the record's `ap`:
--   id 16 bytes that name it   w who asked   ns the names of its certificate, 16 bytes of digest each   t when
--   l until when   e why   p the step that would be sent first   c who confirmed   ct when   ov 1: over
--   f the attempt after which it allows one: it stays behind when one that may have had an effect ends, whoever ends it
--   q the step that evidence would show of a run that was forgotten; without it nothing would
--   ab 1: what was closed by absence before is to be looked at again when it is over
--   to, n: asked is not to run the operation, but to close it: as D or N, and the number of the transition that says so
local NAME_BYTES = 16

-- What is asked for now. It lives by Redis' clock.
local function ask(now)
  return {id = arg.approval, w = arg.who, ns = arg.names, t = now, l = now + tonumber(arg.approval_for),
          e = arg.approval_reason}
end

-- Whether the operation may run because another identity confirmed it.
local function may_run(record, now)
  local approval = record and record.ap
  return approval and approval.c and not approval.to and
      approval.f == record.a and not approval.ov and approval.l > now
end

-- Whether both are, or may be, one identity: of one without names nobody knows.
local function may_be_one(names, others)
  local seen = {}
  for i = 1, #names, NAME_BYTES do seen[string.sub(names, i, i + NAME_BYTES - 1)] = true end
  for i = 1, #others, NAME_BYTES do
    if seen[string.sub(others, i, i + NAME_BYTES - 1)] then return true end
  end
  return names == '' or others == ''
end

-- Why what was asked under the id `approval` cannot be confirmed by one with `names`; nil: it can, or it was before.
local function refuse_confirmation(record, now)
  local approval = record.ap
  if not approval or approval.id ~= arg.approval then return 'over' end
  if may_be_one(approval.ns, arg.names) then return 'same_identity' end
  if not approval.c and (approval.ov or approval.l <= now) then return 'over' end
end

-- Ends what waited for a second person for too long: nothing was sent. What an earlier run did that may have been
-- forgotten, before or since it was asked, is looked for now: no look came before the asking.
local function lapse(id, record, now)
  local evidence = record.ap.c and 'confirmed, and its key did not come again in time' or 'not confirmed in time'
  local epoch = read_epoch()
  if record.ap.q and (record.lf == 1 or not epoch or record.e < doubted_since(epoch)) then
    record.lf, record.q, record.p, record.ap.ov = 1, record.ap.q, nil, 1
    return end_unsent(id, record, now, 'approval', evidence)
  end
  enter_state(id, record, {to = 'N', now = now, owner = 'approval', evidence = evidence,
                           look = record.ap.ab and now or nil})
end
