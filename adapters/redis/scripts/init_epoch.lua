-- Writes an epoch that nobody doubts, if there is none, and puts the projects on the store's list that are not on it, as
-- ones without a past (`tollbridge init-store`). Answers 1 when it wrote anything, else 0; 'layout' for a store that has
-- another version of the keys.
local found = redis.call('HMGET', epoch_key, 'id', 'layout')
local wrote = 0
if not found[1] then
  local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
  redis.call('HSET', epoch_key, 'id', arg.id, 'layout', arg.layout, 'run', run, 'since', 0, 'until', 0)
  wrote = 1
elseif found[2] ~= arg.layout then
  return 'layout'
end
for i = 1, tonumber(arg.projects) do
  wrote = math.max(wrote, redis.call('HSETNX', epoch_key, arg['project' .. i], '0 0'))
end
return wrote
