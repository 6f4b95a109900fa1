-- Records a further step of a plan as SENT and the one before it as DONE, before the new one's first byte.
-- Compares: state RUNNING, attempt, owner, and that the lease has not ended (it guards sending).
-- Answers 'begun', 'refused', or 'epoch' when the memory was lost.
local id, attempt, owner, step, order = ARGV[4], tonumber(ARGV[5]), ARGV[6], ARGV[7], ARGV[8]

if not epoch_id() then return 'epoch' end

local key, now = record_key(id), now_ms()
local found = redis.call('HMGET', key, 's', 'a', 'w', 'l')
if found[1] ~= 'R' or tonumber(found[2]) ~= attempt or found[3] ~= owner or tonumber(found[4]) <= now then
  return 'refused'
end
set_last_step(key, 'D')
local count = redis.call('HINCRBY', key, 'pn', 1)
redis.call('HSET', key, 'p' .. count, 'S' .. string.format('%.0f', now) .. '\n' .. step)
if order ~= '' then redis.call('HSET', key, 'o', order) end
return 'begun'
