-- Puts the projects that are not on the store's list on it: each is in doubt from then on, as after lost memory
-- (docs/adr/0040-a-store-lists-its-projects.md). In two steps, and in between the other stores are told: whatever comes
-- between, and whoever dies, no two list a project.
-- With `token`: says of each that it is about to come. Answers what says so of each, which another may have written;
-- empty for one that is on the list. Without: puts those on it of which still the same is said, in `said1` and so on.
-- Answers how many.
local now, joined, said = now_ms(), 0, {}
local doubt = arg.token == '' and text(now) .. ' ' .. text(now + tonumber(arg.memory_lost_doubt))
for i = 1, tonumber(arg.projects) do
  local project = arg['project' .. i]
  local found = redis.call('HGET', epoch_key, project)
  if doubt then
    if found and found == arg['said' .. i] then
      redis.call('HSET', epoch_key, project, doubt)
      joined = joined + 1
    end
  else
    if not found then redis.call('HSET', epoch_key, project, arg.token) end
    said[i] = is_listed(found) and '' or found or arg.token
  end
end
return doubt and joined or said
