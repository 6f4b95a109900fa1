-- Reads all that is kept of a family at one instant. ARGV: <project>, family (16 bytes of the root), the key of the
-- store's epoch. Answers its state (family_state.lua).
return state_of(ARGV[2], {epoch_of_families(ARGV[3], prefix)})
