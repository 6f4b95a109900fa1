-- Drops a published outbox. Compares: the version that it was saved with. Answers 1, or 0 when it is gone or another's.
local outbox_key, version = ARGV[1] .. 'x:' .. ARGV[2], tonumber(ARGV[3])
if tonumber(redis.call('HGET', outbox_key, 'v') or -1) ~= version then return 0 end
return redis.call('DEL', outbox_key)
