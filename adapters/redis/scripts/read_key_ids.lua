-- Under which keys records are, for those who only look. ARGV: how many bytes at the beginning of a sealed outcome are
-- wanted, then the keys of records. See record.lua for what a record has.
-- Answers for each, one after the other: its state, the key id of its fingerprint, the beginning of its
-- outcome. Nil where there is none; the state '?' where it cannot be read.
local answer = {}
for i = 2, #ARGV do
  local value = redis.call('GET', ARGV[i])
  local readable, record = pcall(cmsgpack.unpack, value or '')
  if not value then
    record = {}
  elseif not readable or type(record) ~= 'table' or record.V ~= 1 then
    record = {s = '?'}
  end
  table.insert(answer, record.s or false)
  table.insert(answer, record.k or false)
  table.insert(answer, record.z and string.sub(record.z, 1, tonumber(ARGV[1])) or false)
end
return answer
