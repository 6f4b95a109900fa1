-- Takes projects off the store's list: they are about to be served by another store
-- (docs/adr/0040-a-store-lists-its-projects.md). Answers how many of them were on it.
local left = 0
for i = 1, tonumber(arg.projects) do left = left + redis.call('HDEL', epoch_key, arg['project' .. i]) end
return left
