-- Put before scripts that read or change families: the settled ones, whose last planned read is over and that have no
-- members (docs/adr/0041-settled-families.md). ARGV[1] <project>, what all keys of the project begin with.
-- Settled families, hashes <project>s:<number>: family to value, kept so small that each stays in Redis' compact encoding.
--   Value: day of its expiry since 1970 (2 bytes), version (base 128, low digits first), and what settled_family.cc makes.
-- Hash <project>settled: n families, b hashes, c the one that was looked through last.
-- List <project>left: families that left the settled ones while somebody goes through all, and a note of each who began
-- (begin_walk.lua). Gone some time after the last of them stopped.
-- The hash of a family follows from its first four bytes, which are random, and from b (linear hashing): with each 64
-- families one more hash takes half of what another one has.
local prefix = ARGV[1]
local settled_key = prefix .. 'settled'
local IN_ONE, DAY_MS = 64, 86400000

local function settled_hash(number) return prefix .. 's:' .. number end

local function number_of(id)
  local a, b, c, d = string.byte(id, 1, 4)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

-- The largest power of two that is not above `hashes`.
local function level_of(hashes)
  local level = 1
  while level * 2 <= hashes do level = level * 2 end
  return level
end

local function hash_of(id, hashes)
  local level = level_of(hashes)
  local number = number_of(id) % (level * 2)
  return settled_hash(number < hashes and number or number - level)
end

local function today() return math.floor(tonumber(redis.call('TIME')[1]) * 1000 / DAY_MS) end

local function expires(value)
  local high, low = string.byte(value, 1, 2)
  return high * 256 + low
end

-- What is kept of a settled family, and the hash that has it; nil where there is none.
local function find_settled(id)
  local hashes = tonumber(redis.call('HGET', settled_key, 'b') or 0)
  if hashes == 0 then return nil end
  local hash = hash_of(id, hashes)
  local value = redis.call('HGET', hash, id)
  if not value or expires(value) < today() then return nil end
  return value, hash
end

local function version_of_settled(value)
  local version, factor, at = 0, 1, 3
  repeat
    local digit = string.byte(value, at)
    version, factor, at = version + digit % 128 * factor, factor * 128, at + 1
  until digit < 128
  return version
end

local function drop_settled(id, hash)
  if redis.call('HDEL', hash, id) == 1 then redis.call('HINCRBY', settled_key, 'n', -1) end
end

-- Of a family that is no longer settled: who goes through all has passed where it is now.
local function note_left(id)
  local left = prefix .. 'left'
  if redis.call('EXISTS', left) == 1 then redis.call('RPUSH', left, id) end
end

-- Gives a new hash half of what its elder one has.
local function split(hashes)
  local level = level_of(hashes)
  local elder = redis.call('HGETALL', settled_hash(hashes - level))
  for i = 1, #elder, 2 do
    if number_of(elder[i]) % (level * 2) == hashes then
      redis.call('HSET', settled_hash(hashes), elder[i], elder[i + 1])
      redis.call('HDEL', settled_hash(hashes - level), elder[i])
    end
  end
  redis.call('HSET', settled_key, 'b', hashes + 1)
end

-- Drops what has expired in the next hash: each is looked through as often as families settle.
local function look_through(hashes)
  local hash = settled_hash(redis.call('HINCRBY', settled_key, 'c', 1) % hashes)
  local found, now = redis.call('HGETALL', hash), today()
  for i = 1, #found, 2 do
    if expires(found[i + 1]) < now then drop_settled(found[i], hash) end
  end
end

local function put_settled(id, value, retention)
  local day = math.floor((tonumber(redis.call('TIME')[1]) * 1000 + tonumber(retention)) / DAY_MS) + 1
  local hashes = tonumber(redis.call('HGET', settled_key, 'b') or 0)
  if hashes == 0 then
    hashes = 1
    redis.call('HSET', settled_key, 'b', hashes)
  end
  local bytes = string.char(math.floor(day / 256) % 256, day % 256)
  if redis.call('HSET', hash_of(id, hashes), id, bytes .. value) == 1 and
     redis.call('HINCRBY', settled_key, 'n', 1) > hashes * IN_ONE then
    split(hashes)
  end
  look_through(hashes)
end
