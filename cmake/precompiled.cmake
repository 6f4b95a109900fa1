# No target has a precompiled header.
function(tollbridge_precompile target)
endfunction()
