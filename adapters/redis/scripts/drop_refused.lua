-- Drops refused calls that are on the operations topic. Goes on without memory.
-- `drained`: their places in the stream, each followed by a space.
local places = {}
for place in string.gmatch(arg.drained, '(%S+) ') do places[#places + 1] = place end
return #places > 0 and redis.call('XDEL', operations_key('refused'), unpack(places)) or 0
