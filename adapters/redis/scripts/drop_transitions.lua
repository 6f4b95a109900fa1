-- Drops transitions that are on the operations topic, gives up the lease on the others, and notes the operations that
-- were closed: retire.lua takes those up. Goes on without memory.
-- `drained`: their places in the stream, each followed by a space; none where only the lease is given up. `closed`: ids
-- of operations, one after the other.
local places, now, drainer = {}, text(now_ms()), operations_key('drainer')
for place in string.gmatch(arg.drained, '(%S+) ') do places[#places + 1] = place end
local dropped = #places > 0 and redis.call('XDEL', transitions_key, unpack(places)) or 0
if string.match(redis.call('GET', drainer) or '', '^%d+\n(.*)$') == arg.token then redis.call('DEL', drainer) end
for i = 1, #arg.closed, 16 do
  redis.call('RPUSH', operations_key('closed'), string.sub(arg.closed, i, i + 15) .. now)
end
return dropped
