-- Under which keys records are, for those who only look. ARGV: how many bytes at the beginning of a sealed outcome are
-- wanted, then the keys of records. See record.lua for what a record has.
-- Answers for each, one after the other: its state, the key id of its fingerprint, the beginning of its
-- outcome. Nil where there is none.
local answer = {}
for i = 2, #ARGV do
  local found = redis.call('HMGET', ARGV[i], 's', 'k', 'z')
  table.insert(answer, found[1])
  table.insert(answer, found[2])
  table.insert(answer, found[3] and string.sub(found[3], 1, tonumber(ARGV[1])))
end
return answer
