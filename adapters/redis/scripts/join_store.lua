-- Puts the projects on the store's list that are not on it: each is in doubt from now on, as after lost memory
-- (docs/adr/0040-a-store-lists-its-projects.md). Answers how many were not.
local now, joined = now_ms(), 0
local doubt = text(now) .. ' ' .. text(now + tonumber(arg.memory_lost_doubt))
for i = 1, tonumber(arg.projects) do joined = joined + redis.call('HSETNX', epoch_key, arg['project' .. i], doubt) end
return joined
