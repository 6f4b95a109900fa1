-- Keeps the record of a refused call until it is on the operations topic, unless `most` of them wait already.
-- `record`: an OperationRecord. Answers 1, or 0 when it was not kept.
local refused = operations_key('refused')
if redis.call('XLEN', refused) >= tonumber(arg.most) then return 0 end
redis.call('XADD', refused, '*', 'r', arg.record)
return 1
