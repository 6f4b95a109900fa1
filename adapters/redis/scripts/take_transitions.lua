-- Takes up to `limit` transitions that are not on the operations topic, oldest first; none while another has some in
-- hand: who took some last has all of them for `lease` ms, or until drop_transitions.lua. Goes on without memory, since
-- draining frees some. `after`: a place, behind which they are; empty for all.
-- Answers {{place in the stream, i, t}, ...}: see record.lua.
local now, drainer = now_ms(), operations_key('drainer')
local lease_end, holder = string.match(redis.call('GET', drainer) or '', '^(%d+)\n(.*)$')
if holder and holder ~= arg.token and tonumber(lease_end) > now then return {} end
local answer, first = {}, arg.after ~= '' and '(' .. arg.after or '-'
for _, entry in ipairs(redis.call('XRANGE', transitions_key, first, '+', 'COUNT', arg.limit)) do
  answer[#answer + 1] = {entry[1], entry[2][2], entry[2][4] or ''}
end
-- Without memory nobody can be kept away. What two bring to the topic are exact copies.
if #answer > 0 then
  redis.pcall('SET', drainer, text(now + tonumber(arg.lease)) .. '\n' .. arg.token)
end
return answer
