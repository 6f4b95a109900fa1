-- Answers up to `limit` refused calls that are not on the operations topic, oldest first: {{place in the stream,
-- OperationRecord}, ...}. `after`: a place, behind which they are; empty for all. Changes nothing.
local answer, first = {}, arg.after ~= '' and '(' .. arg.after or '-'
for _, entry in ipairs(redis.call('XRANGE', operations_key('refused'), first, '+', 'COUNT', arg.limit)) do
  answer[#answer + 1] = {entry[1], entry[2][2]}
end
return answer
