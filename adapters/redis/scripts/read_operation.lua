-- Reads a record. Answers {'ok', field, value, ...} (nothing after 'ok' when there is none), or {'epoch'} when the
-- memory was lost, since then an absent record does not mean that there was none.
if not epoch_id() then return {'epoch'} end

local answer = {'ok'}
for _, part in ipairs(redis.call('HGETALL', record_key(ARGV[4]))) do table.insert(answer, part) end
return answer
