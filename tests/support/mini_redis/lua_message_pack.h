#ifndef TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_LUA_MESSAGE_PACK_H_
#define TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_LUA_MESSAGE_PACK_H_

struct lua_State;

namespace tollbridge::test {

/// Sets the global `cmsgpack` with pack(...) and unpack(text), which give the bytes, values and
/// errors of those that Redis gives its scripts.
void OpenMessagePack(lua_State* lua);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_LUA_MESSAGE_PACK_H_
