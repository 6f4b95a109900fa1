#include "tests/support/mini_redis/lua_message_pack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

// As in script_engine.cc: nothing that can raise a Lua error is called while an object with a
// destructor is alive. Packing reserves its stack first and then calls nothing that raises;
// unpacking, which may raise anywhere, has no such objects.

namespace tollbridge::test {
namespace {

constexpr int kMaxNesting = 16;
/// A table's key and value, and a copy of the key.
constexpr int kSlotsPerLevel = 4;

template <std::unsigned_integral T>
void AppendBigEndian(std::string& out, T number) {
  for (int shift = std::numeric_limits<T>::digits - 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xff));
  }
}

template <std::unsigned_integral T>
void AppendTagged(std::string& out, std::uint8_t tag, T number) {
  out.push_back(static_cast<char>(tag));
  AppendBigEndian(out, number);
}

void PackInteger(std::string& out, std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  if (number >= -32 && number <= 127) {
    out.push_back(static_cast<char>(number));
  } else if (number > 0) {
    if (number <= UINT8_MAX) return AppendTagged(out, 0xcc, static_cast<std::uint8_t>(bits));
    if (number <= UINT16_MAX) return AppendTagged(out, 0xcd, static_cast<std::uint16_t>(bits));
    if (number <= UINT32_MAX) return AppendTagged(out, 0xce, static_cast<std::uint32_t>(bits));
    AppendTagged(out, 0xcf, bits);
  } else {
    if (number >= INT8_MIN) return AppendTagged(out, 0xd0, static_cast<std::uint8_t>(bits));
    if (number >= INT16_MIN) return AppendTagged(out, 0xd1, static_cast<std::uint16_t>(bits));
    if (number >= INT32_MIN) return AppendTagged(out, 0xd2, static_cast<std::uint32_t>(bits));
    AppendTagged(out, 0xd3, bits);
  }
}

void PackNumber(std::string& out, double number) {
  constexpr double kEnd = 0x1p63;
  if (number >= -kEnd && number < kEnd && std::trunc(number) == number) {
    return PackInteger(out, static_cast<std::int64_t>(number));
  }
  const auto narrow = static_cast<float>(number);
  if (static_cast<double>(narrow) == number) {
    return AppendTagged(out, 0xca, std::bit_cast<std::uint32_t>(narrow));
  }
  AppendTagged(out, 0xcb, std::bit_cast<std::uint64_t>(number));
}

void PackText(std::string& out, std::string_view text) {
  if (text.size() < 32) {
    out.push_back(static_cast<char>(0xa0 | text.size()));
  } else if (text.size() <= UINT8_MAX) {
    AppendTagged(out, 0xd9, static_cast<std::uint8_t>(text.size()));
  } else if (text.size() <= UINT16_MAX) {
    AppendTagged(out, 0xda, static_cast<std::uint16_t>(text.size()));
  } else {
    AppendTagged(out, 0xdb, static_cast<std::uint32_t>(text.size()));
  }
  out += text;
}

/// `fixed` is the tag of less than 16 elements, `tagged` that of a 16-bit count, before the one of
/// a 32-bit count.
void PackCount(std::string& out, std::size_t count, std::uint8_t fixed, std::uint8_t tagged) {
  if (count < 16) {
    out.push_back(static_cast<char>(fixed | count));
  } else if (count <= UINT16_MAX) {
    AppendTagged(out, tagged, static_cast<std::uint16_t>(count));
  } else {
    AppendTagged(out, static_cast<std::uint8_t>(tagged + 1), static_cast<std::uint32_t>(count));
  }
}

struct Shape {
  std::size_t count = 0;
  bool is_array = true;
};

/// Of the table on top of the stack: an array has exactly the keys 1 to its count.
Shape ShapeOfTop(lua_State* lua) {
  Shape shape;
  double last = 0;
  lua_pushnil(lua);
  while (lua_next(lua, -2) != 0) {
    lua_pop(lua, 1);
    ++shape.count;
    const double key = lua_type(lua, -1) == LUA_TNUMBER ? lua_tonumber(lua, -1) : 0;
    if (key <= 0 || std::trunc(key) != key) shape.is_array = false;
    last = std::max(last, key);
  }
  shape.is_array = shape.is_array && last == static_cast<double>(shape.count);
  return shape;
}

void PackTop(lua_State* lua, std::string& out, int depth);

void PackTableOnTop(lua_State* lua, std::string& out, int depth) {
  const Shape shape = ShapeOfTop(lua);
  if (shape.is_array) {
    PackCount(out, shape.count, 0x90, 0xdc);
    for (std::size_t i = 1; i <= shape.count; ++i) {
      lua_rawgeti(lua, -1, static_cast<int>(i));
      PackTop(lua, out, depth + 1);
    }
    return;
  }
  PackCount(out, shape.count, 0x80, 0xde);
  lua_pushnil(lua);
  while (lua_next(lua, -2) != 0) {
    lua_pushvalue(lua, -2);
    PackTop(lua, out, depth + 1);
    PackTop(lua, out, depth + 1);
  }
}

/// Takes the value on top of the stack. What has no form of its own, or is nested too deep, is nil.
void PackTop(lua_State* lua, std::string& out, int depth) {
  const int type = lua_type(lua, -1);
  if (type == LUA_TSTRING) {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, -1, &size);
    PackText(out, {text, size});
  } else if (type == LUA_TNUMBER) {
    PackNumber(out, lua_tonumber(lua, -1));
  } else if (type == LUA_TBOOLEAN) {
    out.push_back(static_cast<char>(lua_toboolean(lua, -1) != 0 ? 0xc3 : 0xc2));
  } else if (type == LUA_TTABLE && depth < kMaxNesting) {
    PackTableOnTop(lua, out, depth);
  } else {
    out.push_back(static_cast<char>(0xc0));
  }
  lua_pop(lua, 1);
}

void PushPacked(lua_State* lua, int count) {
  std::string out;
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(lua, i);
    PackTop(lua, out, 0);
  }
  lua_pushlstring(lua, out.data(), out.size());
}

int Pack(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) return luaL_argerror(lua, 0, "MessagePack pack needs input.");
  luaL_checkstack(lua, kSlotsPerLevel * (kMaxNesting + 1), "in function mp_check");
  PushPacked(lua, count);
  return 1;
}

std::string_view Take(lua_State* lua, std::string_view& input, std::size_t size) {
  if (input.size() < size) luaL_error(lua, "Missing bytes in input.");
  const std::string_view taken = input.substr(0, size);
  input.remove_prefix(size);
  return taken;
}

template <std::unsigned_integral T>
T TakeBigEndian(lua_State* lua, std::string_view& input) {
  std::uint64_t number = 0;
  for (const char byte : Take(lua, input, sizeof(T))) {
    number = number << 8 | static_cast<std::uint8_t>(byte);
  }
  return static_cast<T>(number);
}

/// T is the type that the number has, of as many bits as it takes in the input.
template <typename T, std::unsigned_integral Bits>
void UnpackNumber(lua_State* lua, std::string_view& input) {
  lua_pushnumber(lua, static_cast<lua_Number>(std::bit_cast<T>(TakeBigEndian<Bits>(lua, input))));
}

void UnpackText(lua_State* lua, std::string_view& input, std::size_t size) {
  const std::string_view text = Take(lua, input, size);
  lua_pushlstring(lua, text.data(), text.size());
}

void UnpackOne(lua_State* lua, std::string_view& input);

void UnpackArray(lua_State* lua, std::string_view& input, std::size_t count) {
  lua_newtable(lua);
  luaL_checkstack(lua, 1, "in function mp_decode_to_lua_array");
  for (std::size_t i = 1; i <= count; ++i) {
    lua_pushnumber(lua, static_cast<lua_Number>(i));
    UnpackOne(lua, input);
    lua_settable(lua, -3);
  }
}

void UnpackMap(lua_State* lua, std::string_view& input, std::size_t count) {
  lua_newtable(lua);
  for (std::size_t i = 0; i < count; ++i) {
    UnpackOne(lua, input);
    UnpackOne(lua, input);
    lua_settable(lua, -3);
  }
}

/// Of those tags that hold a part of their value.
void UnpackFixed(lua_State* lua, std::string_view& input, std::uint8_t tag) {
  if (tag < 0x80) return lua_pushnumber(lua, tag);
  if (tag < 0x90) return UnpackMap(lua, input, tag & 0x0f);
  if (tag < 0xa0) return UnpackArray(lua, input, tag & 0x0f);
  if (tag < 0xc0) return UnpackText(lua, input, tag & 0x1f);
  if (tag >= 0xe0) return lua_pushnumber(lua, static_cast<std::int8_t>(tag));
  luaL_error(lua, "Bad data format in input.");
}

/// Leaves the next value on the stack.
void UnpackOne(lua_State* lua, std::string_view& input) {
  luaL_checkstack(lua, 1,
                  "too many return values at once; use unpack_one or unpack_limit instead.");
  const auto tag = TakeBigEndian<std::uint8_t>(lua, input);
  switch (tag) {
    case 0xc0:
      return lua_pushnil(lua);
    case 0xc2:
    case 0xc3:
      return lua_pushboolean(lua, tag == 0xc3 ? 1 : 0);
    case 0xca:
      return UnpackNumber<float, std::uint32_t>(lua, input);
    case 0xcb:
      return UnpackNumber<double, std::uint64_t>(lua, input);
    case 0xcc:
      return UnpackNumber<std::uint8_t, std::uint8_t>(lua, input);
    case 0xcd:
      return UnpackNumber<std::uint16_t, std::uint16_t>(lua, input);
    case 0xce:
      return UnpackNumber<std::uint32_t, std::uint32_t>(lua, input);
    case 0xcf:  // Redis reads it as signed.
      return UnpackNumber<std::int64_t, std::uint64_t>(lua, input);
    case 0xd0:
      return UnpackNumber<std::int8_t, std::uint8_t>(lua, input);
    case 0xd1:
      return UnpackNumber<std::int16_t, std::uint16_t>(lua, input);
    case 0xd2:
      return UnpackNumber<std::int32_t, std::uint32_t>(lua, input);
    case 0xd3:
      return UnpackNumber<std::int64_t, std::uint64_t>(lua, input);
    case 0xd9:
      return UnpackText(lua, input, TakeBigEndian<std::uint8_t>(lua, input));
    case 0xda:
      return UnpackText(lua, input, TakeBigEndian<std::uint16_t>(lua, input));
    case 0xdb:
      return UnpackText(lua, input, TakeBigEndian<std::uint32_t>(lua, input));
    case 0xdc:
      return UnpackArray(lua, input, TakeBigEndian<std::uint16_t>(lua, input));
    case 0xdd:
      return UnpackArray(lua, input, TakeBigEndian<std::uint32_t>(lua, input));
    case 0xde:
      return UnpackMap(lua, input, TakeBigEndian<std::uint16_t>(lua, input));
    case 0xdf:
      return UnpackMap(lua, input, TakeBigEndian<std::uint32_t>(lua, input));
    default:
      return UnpackFixed(lua, input, tag);
  }
}

int Unpack(lua_State* lua) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  const int before = lua_gettop(lua);
  for (std::string_view input(text, size); !input.empty();) UnpackOne(lua, input);
  return lua_gettop(lua) - before;
}

}  // namespace

void OpenMessagePack(lua_State* lua) {
  lua_createtable(lua, 0, 2);
  lua_pushcfunction(lua, Pack);
  lua_setfield(lua, -2, "pack");
  lua_pushcfunction(lua, Unpack);
  lua_setfield(lua, -2, "unpack");
  lua_setglobal(lua, "cmsgpack");
}

}  // namespace tollbridge::test
