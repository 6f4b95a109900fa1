-- Writes an epoch that nobody doubts, if there is none (`tollbridge init-store`). Answers 1 when it wrote one, else 0.
if redis.call('EXISTS', epoch_key) == 1 then return 0 end
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
redis.call('HSET', epoch_key, 'id', arg.id, 'layout', arg.layout, 'run', run, 'since', 0, 'until', 0)
return 1
