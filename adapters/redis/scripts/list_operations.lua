-- Lists records: those in the states `states`, longest in their state first, or those of an order, newest first. Reads
-- only.
-- after_score, after_id: where the page before ended; empty for the first.
-- RUNNING stands by the end of its lease.
-- Answers {score and id where this page ended (empty on the last), {fields and values}, ...}, the id as field `id`.
local limit, after_score, after_id = tonumber(arg.limit), tonumber(arg.after_score), arg.after_id
local BATCH = 256
local candidates = {}

-- As Redis orders ids. (Lua compares text by the server's locale.)
local function is_before(one, other)
  for i = 1, math.min(#one, #other) do
    local left, right = string.byte(one, i), string.byte(other, i)
    if left ~= right then return left < right end
  end
  return #one < #other
end

local function is_after(score, id) return score > after_score or (score == after_score and is_before(after_id, id)) end

-- The next of one index behind the cursor: one more than a page holds, which shows that there is another page. Equal
-- scores stand in the order of their ids.
local function collect(index)
  local start, got = 0, 0
  while got <= limit do
    local part = redis.call('ZRANGEBYSCORE', index, after_score and text(after_score) or '-inf', '+inf', 'WITHSCORES',
                            'LIMIT', start, BATCH)
    for i = 1, #part, 2 do
      local score = tonumber(part[i + 1])
      if got <= limit and (not after_score or is_after(score, part[i])) then
        candidates[#candidates + 1] = {score = score, id = part[i]}
        got = got + 1
      end
    end
    if #part < 2 * BATCH then break end
    start = start + BATCH
  end
end

if arg.order ~= '' then
  local part = redis.call('ZRANGE', order_key(arg.order), 0, -1, 'WITHSCORES')
  for i = #part - 1, 1, -2 do
    local score, id = tonumber(part[i + 1]), part[i]
    if not after_score or (not is_after(score, id) and id ~= after_id) then
      candidates[#candidates + 1] = {score = score, id = id}
    end
  end
  -- All others came after the one that made the order. One that named it earlier, in a step or in review, is among them.
  local made = redis.call('HMGET', family_key(arg.packed_order), 'i', 'n')
  if made[1] and made[1] ~= after_id and not redis.call('ZSCORE', order_key(arg.order), made[1]) then
    candidates[#candidates + 1] = {score = tonumber(made[2]), id = made[1]}
  end
else
  for i = 1, #arg.states do collect(index_key(string.sub(arg.states, i, i))) end
  table.sort(candidates, function(a, b)
    if a.score ~= b.score then return a.score < b.score end
    return is_before(a.id, b.id)
  end)
end

local answer = {'', ''}
for i, candidate in ipairs(candidates) do
  if i > limit then break end
  if i == limit and #candidates > limit then answer[1], answer[2] = text(candidate.score), candidate.id end
  local record = read_record(candidate.id)
  if record then
    record[#record + 1] = 'id'
    record[#record + 1] = candidate.id
    answer[#answer + 1] = record
  end
end
return answer
