-- Put behind settled.lua before the scripts that change what is kept of a family: what they share. ARGV[2] a family: the
-- 16 bytes of its root. See family_state.lua for the keys.
local family, due = ARGV[2], prefix .. 'due'

-- Whether the family is due at the time that was seen (ms; empty for not at all): else an operation has set another
-- meanwhile, and that one stays.
local function due_as_seen(seen)
  return math.floor(tonumber(redis.call('ZSCORE', due, family)) or -1) == (tonumber(seen) or -1)
end

-- Notes where the root of a member is. False when it has a snapshot of its own: it stays a root.
local function note_root(member, root, retention)
  local key = prefix .. 'f:' .. member
  if redis.call('HGET', key, 'v') or find_settled(member) then return false end
  redis.call('HSET', key, 'r', root)
  redis.call('HDEL', key, 'h')
  redis.call('PEXPIRE', key, retention)
  return true
end
