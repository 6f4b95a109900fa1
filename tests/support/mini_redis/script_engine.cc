#include "tests/support/mini_redis/script_engine.h"

#include <absl/strings/str_format.h>
#include <openssl/evp.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/core/encoding.h"
#include "tests/support/mini_redis/lua_message_pack.h"

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

// Lua leaves a function by longjmp. So no function here calls into Lua in a way that can raise an
// error while an object with a destructor is alive; those that raise have none.

namespace tollbridge::test {
namespace {

using redis::Reply;

constexpr int kMaxDepth = 32;

void PushText(lua_State* lua, std::string_view text) {
  lua_pushlstring(lua, text.data(), text.size());
}

std::string_view TextAt(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

/// {name = text}.
void PushField(lua_State* lua, const char* name, std::string_view text) {
  lua_createtable(lua, 0, 1);
  PushText(lua, text);
  lua_setfield(lua, -2, name);
}

void PushReply(lua_State* lua, const Reply& reply) {
  switch (reply.type) {
    case Reply::Type::kNil:
      lua_pushboolean(lua, 0);
      return;
    case Reply::Type::kString:
      PushText(lua, reply.text);
      return;
    case Reply::Type::kStatus:
      PushField(lua, "ok", reply.text);
      return;
    case Reply::Type::kError:
      PushField(lua, "err", reply.text);
      return;
    case Reply::Type::kInteger:
      lua_pushnumber(lua, static_cast<lua_Number>(reply.integer));
      return;
    case Reply::Type::kArray:
      lua_checkstack(lua, 4);
      lua_createtable(lua, static_cast<int>(reply.elements.size()), 0);
      for (std::size_t i = 0; i < reply.elements.size(); ++i) {
        PushReply(lua, reply.elements[i]);
        lua_rawseti(lua, -2, static_cast<int>(i) + 1);
      }
      return;
  }
}

/// The string in a field of the table on top of the stack. False when there is none.
bool TakeField(lua_State* lua, const char* name, std::string& text) {
  lua_pushstring(lua, name);
  lua_rawget(lua, -2);
  const bool is_text = lua_type(lua, -1) == LUA_TSTRING;
  if (is_text) text = TextAt(lua, -1);
  lua_pop(lua, 1);
  return is_text;
}

/// Takes the value on top of the stack.
Reply PopReply(lua_State* lua, int depth = 0) {
  Reply reply;
  lua_checkstack(lua, 4);
  switch (lua_type(lua, -1)) {
    case LUA_TSTRING:
      reply.type = Reply::Type::kString;
      reply.text = TextAt(lua, -1);
      break;
    case LUA_TNUMBER:
      reply.type = Reply::Type::kInteger;
      reply.integer = static_cast<std::int64_t>(lua_tonumber(lua, -1));
      break;
    case LUA_TBOOLEAN:
      if (lua_toboolean(lua, -1) != 0) {
        reply.type = Reply::Type::kInteger;
        reply.integer = 1;
      }
      break;
    case LUA_TTABLE:
      if (depth > kMaxDepth) {
        reply = {.type = Reply::Type::kError, .text = "ERR reached lua stack limit"};
      } else if (TakeField(lua, "err", reply.text)) {
        reply.type = Reply::Type::kError;
      } else if (TakeField(lua, "ok", reply.text)) {
        reply.type = Reply::Type::kStatus;
      } else {
        reply.type = Reply::Type::kArray;
        for (int i = 1;; ++i) {
          lua_rawgeti(lua, -1, i);
          if (lua_isnil(lua, -1)) break;
          reply.elements.push_back(PopReply(lua, depth + 1));
        }
        lua_pop(lua, 1);
      }
      break;
    default:
      break;
  }
  lua_pop(lua, 1);
  return reply;
}

void SetArray(lua_State* lua, const char* name, std::span<const std::string> values) {
  lua_pushstring(lua, name);
  lua_createtable(lua, static_cast<int>(values.size()), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    PushText(lua, values[i]);
    lua_rawseti(lua, -2, static_cast<int>(i) + 1);
  }
  lua_rawset(lua, LUA_GLOBALSINDEX);
}

/// redis.error_reply: "-CODE text" or "text", as Redis 7 reads it.
int ErrorReply(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
    return luaL_error(lua, "wrong number or type of arguments");
  }
  if (*lua_tostring(lua, 1) != '-') {
    lua_pushliteral(lua, "-");
    lua_insert(lua, 1);
    lua_concat(lua, 2);
  }
  const std::string_view text = TextAt(lua, 1).substr(1);
  lua_createtable(lua, 0, 1);
  if (text.find(' ') == std::string_view::npos) {
    lua_pushliteral(lua, "ERR ");
    PushText(lua, text);
    lua_concat(lua, 2);
  } else {
    PushText(lua, text);
  }
  lua_setfield(lua, -2, "err");
  return 1;
}

int StatusReply(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
    return luaL_error(lua, "wrong number or type of arguments");
  }
  PushField(lua, "ok", TextAt(lua, 1));
  return 1;
}

void PushSha1(lua_State* lua, std::string_view text) { PushText(lua, ScriptEngine::Sha1Hex(text)); }

int Sha1OfText(lua_State* lua) {
  if (lua_gettop(lua) != 1) return luaL_error(lua, "wrong number of arguments");
  PushSha1(lua, TextAt(lua, 1));
  return 1;
}

int NoSuchGlobal(lua_State* lua) {
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    luaL_optstring(lua, 2, "?"));
}

int NoNewGlobal(lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); }

void OpenLibrary(lua_State* lua, const char* name, lua_CFunction open) {
  lua_pushcfunction(lua, open);
  lua_pushstring(lua, name);
  lua_call(lua, 1, 0);
}

}  // namespace

ScriptEngine::ScriptEngine(Call call) : call_(std::move(call)), lua_(luaL_newstate()) {
  if (lua_ == nullptr) throw std::runtime_error("cannot make a Lua state");
  OpenLibrary(lua_, "", luaopen_base);
  OpenLibrary(lua_, LUA_TABLIBNAME, luaopen_table);
  OpenLibrary(lua_, LUA_STRLIBNAME, luaopen_string);
  OpenLibrary(lua_, LUA_MATHLIBNAME, luaopen_math);
  for (const char* name : {"print", "dofile", "loadfile", "load", "newproxy"}) {
    lua_pushnil(lua_);
    lua_setglobal(lua_, name);
  }

  lua_createtable(lua_, 0, 5);
  lua_pushlightuserdata(lua_, this);
  lua_pushcclosure(lua_, CallCommand, 1);
  lua_setfield(lua_, -2, "call");
  lua_pushlightuserdata(lua_, this);
  lua_pushcclosure(lua_, PcallCommand, 1);
  lua_setfield(lua_, -2, "pcall");
  lua_pushcfunction(lua_, ErrorReply);
  lua_setfield(lua_, -2, "error_reply");
  lua_pushcfunction(lua_, StatusReply);
  lua_setfield(lua_, -2, "status_reply");
  lua_pushcfunction(lua_, Sha1OfText);
  lua_setfield(lua_, -2, "sha1hex");
  lua_setglobal(lua_, "redis");
  OpenMessagePack(lua_);

  lua_createtable(lua_, 0, 2);
  lua_pushcfunction(lua_, NoSuchGlobal);
  lua_setfield(lua_, -2, "__index");
  lua_pushcfunction(lua_, NoNewGlobal);
  lua_setfield(lua_, -2, "__newindex");
  lua_setmetatable(lua_, LUA_GLOBALSINDEX);
}

ScriptEngine::~ScriptEngine() { lua_close(lua_); }

std::string ScriptEngine::Sha1Hex(std::string_view text) {
  std::array<char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &length,
             EVP_sha1(), nullptr);
  return HexEncode({digest.data(), length});
}

std::variant<int, Reply> ScriptEngine::Compile(const std::string& text) {
  if (luaL_loadbuffer(lua_, text.data(), text.size(), "@user_script") != 0) {
    Reply error{
        .type = Reply::Type::kError,
        .text = absl::StrFormat("ERR Error compiling script (new function): %s", TextAt(lua_, -1))};
    lua_pop(lua_, 1);
    return error;
  }
  return luaL_ref(lua_, LUA_REGISTRYINDEX);
}

Reply ScriptEngine::Run(int script, std::span<const std::string> keys,
                        std::span<const std::string> arguments) {
  SetArray(lua_, "KEYS", keys);
  SetArray(lua_, "ARGV", arguments);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, script);
  const bool failed = lua_pcall(lua_, 0, 1, 0) != 0;
  if (!failed) return PopReply(lua_);
  Reply error{.type = Reply::Type::kError};
  if (lua_type(lua_, -1) != LUA_TTABLE || !TakeField(lua_, "err", error.text)) {
    error.text = absl::StrFormat("ERR %s", TextAt(lua_, -1));
  }
  error.text += " script: user_script";
  lua_pop(lua_, 1);
  return error;
}

bool ScriptEngine::PushReplyOfCommand(lua_State* lua) {
  auto* self = static_cast<ScriptEngine*>(lua_touserdata(lua, lua_upvalueindex(1)));
  const int count = lua_gettop(lua);
  Reply reply{.type = Reply::Type::kError};
  if (count == 0) {
    reply.text = "ERR Please specify at least one argument for this redis.call()";
  } else {
    redis::Command command;
    command.reserve(static_cast<std::size_t>(count));
    for (int i = 1; i <= count; ++i) {
      const int type = lua_type(lua, i);
      if (type == LUA_TNUMBER) {
        command.push_back(absl::StrFormat("%.17g", lua_tonumber(lua, i)));
      } else if (type == LUA_TSTRING) {
        command.emplace_back(TextAt(lua, i));
      } else {
        break;
      }
    }
    if (std::cmp_not_equal(command.size(), count)) {
      reply.text = "ERR Lua redis lib command arguments must be strings or integers";
    } else {
      reply = self->call_(command);
    }
  }
  PushReply(lua, reply);
  return reply.type != Reply::Type::kError;
}

int ScriptEngine::CallCommand(lua_State* lua) {
  if (!PushReplyOfCommand(lua)) return lua_error(lua);
  return 1;
}

int ScriptEngine::PcallCommand(lua_State* lua) {
  PushReplyOfCommand(lua);
  return 1;
}

}  // namespace tollbridge::test
