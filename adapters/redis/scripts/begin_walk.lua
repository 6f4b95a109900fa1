-- Begins to note the families that leave the settled ones (settled.lua). ARGV: <project>, for how long the notes are kept
-- (ms). Answers the index of the note that says so, and the note: no other walk has the same.
local left, time = ARGV[1] .. 'left', redis.call('TIME')
local note = 'walk ' .. time[1] .. '.' .. time[2]
local index = redis.call('RPUSH', left, note) - 1
redis.call('PEXPIRE', left, ARGV[2])
return {index, note}
