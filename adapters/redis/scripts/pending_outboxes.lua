-- Counts the outboxes that are saved and not cleared, by their index. ARGV: <project>. Reads only.
-- Answers {count, when what the oldest holds was noticed (ms; empty for none)}.
local index = ARGV[1] .. 'pending'
local oldest = redis.call('ZRANGE', index, 0, 0, 'WITHSCORES')
return {redis.call('ZCARD', index), oldest[2] and string.format('%.0f', tonumber(oldest[2])) or ''}
