-- Reads all that is kept of some families at one instant. ARGV: <project>, the key of the store's epoch, the families.
-- Answers the state of each (family_state.lua).
local epoch, states = {epoch_of_families(ARGV[2], prefix)}, {}
for i = 3, #ARGV do table.insert(states, state_of(ARGV[i], epoch)) end
return states
