-- Reads all that is kept of a family at one instant. ARGV: key prefix, family (16 bytes of the root, project's name).
-- Family, hash <prefix>f:<family>: v version, s snapshot, and what operations left: c capture_mode, x traceparent,
--   w own checkout. Outbox, hash <prefix>x:<family>: v version it was saved with, o bytes. It is a key of its own,
--   since a large value would leave the family's hash in its large encoding for ever.
-- Answers {version, snapshot, capture_mode, traceparent, own checkout, outbox, due time}, nil where there is none.
local prefix, family = ARGV[1], ARGV[2]
local answer = redis.call('HMGET', prefix .. 'f:' .. family, 'v', 's', 'c', 'x', 'w')
table.insert(answer, redis.call('HGET', prefix .. 'x:' .. family, 'o'))
table.insert(answer, redis.call('ZSCORE', prefix .. 'due', family))
return answer
