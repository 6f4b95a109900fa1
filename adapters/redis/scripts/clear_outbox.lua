-- Drops a published outbox, and takes it out of the index of those that are pending. ARGV: <project>, family, the version
-- that it was saved with, the key of the store's epoch, the epoch in which it was loaded or saved.
-- Compares: the epoch, since a store that went back has the version again; the version. Answers 1, or 0 when it is gone
-- or another's.
local outbox_key, version, epoch_key, epoch = ARGV[1] .. 'x:' .. ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
if epoch_of_families(epoch_key, ARGV[1]) ~= epoch then return 0 end
if tonumber(redis.call('HGET', outbox_key, 'v') or -1) ~= version then return 0 end
redis.call('ZREM', ARGV[1] .. 'pending', ARGV[2])
return redis.call('DEL', outbox_key)
