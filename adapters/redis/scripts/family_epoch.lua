-- Put before the scripts that read or compare the epoch of families.

-- The epoch that the project's families are of, eight characters, with when its doubt began and ends; false where the
-- store has none. It is another one where the store may have gone back, and where the project came from another store, which may
-- have told of them meanwhile (join_store.lua).
local function epoch_of_families(epoch_key, project)
  local id, since, till, listed = unpack(redis.call('HMGET', epoch_key, 'id', 'since', 'until', project))
  if not id then return false, false, false end
  local joined, doubted = string.match(listed or '', '^(%d+) (%d+)$')
  if not joined or tonumber(joined) <= tonumber(since or 0) then return string.sub(id, 1, 8), since, till end
  return string.sub(redis.sha1hex(id .. joined), 1, 8), joined, doubted
end
