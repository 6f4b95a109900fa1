-- Put before the scripts that read or compare the epoch of families.

-- The first four bytes of what is written as hexadecimal digits.
local function four_bytes(digits)
  return (string.gsub(string.sub(digits, 1, 8), '%x%x', function(pair) return string.char(tonumber(pair, 16)) end))
end

-- The epoch that the project's families are of, four bytes, with when its doubt began and ends; false where the
-- store has none. It is another one where the store may have gone back, and where the project came from another store, which may
-- have told of them meanwhile (join_store.lua).
local function epoch_of_families(epoch_key, project)
  local id, since, till, listed = unpack(redis.call('HMGET', epoch_key, 'id', 'since', 'until', project))
  if not id then return false, false, false end
  local joined, doubted = string.match(listed or '', '^(%d+) (%d+)$')
  if not joined or tonumber(joined) <= tonumber(since or 0) then return four_bytes(id), since, till end
  return four_bytes(redis.sha1hex(id .. joined)), joined, doubted
end
