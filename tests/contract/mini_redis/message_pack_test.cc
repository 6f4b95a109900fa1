#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "tests/contract/mini_redis/comparison.h"

namespace tollbridge::test {
namespace {

class MiniRedisMessagePack : public ComparisonTest {
 protected:
  /// `expression` packed has the same bytes.
  void SamePack(const std::string& expression) {
    SameScript(absl::StrCat("return cmsgpack.pack(", expression, ")"));
  }
  /// What became of a call of unpack, and of each of its values, down to the leaves.
  redis::Reply SameUnpack(const std::string& packed) {
    return SameScript(absl::StrCat(kShow, "return show(pcall(cmsgpack.unpack, ARGV[1]))"),
                      {packed});
  }
  /// `expression` packed is the same value, in whatever order its tables come.
  void SameValue(const std::string& expression) {
    const std::string script = absl::StrCat("return cmsgpack.pack(", expression, ")");
    SameUnpack(AskServer({"EVAL", script, "0"}).text);
    SameUnpack(mini_.Run({"EVAL", script, "0"}).text);
    SameScript(absl::StrCat(kShow, "local v = ", expression,
                            " return {show(v), show(cmsgpack.unpack(cmsgpack.pack(v)))}"));
  }

 private:
  /// Values as text, tables in the order of their keys' text.
  static constexpr const char* kShow = R"(
    local function one(v, self)
      if type(v) == 'number' then return string.format('%.17g', v) end
      if type(v) ~= 'table' then return type(v) .. ':' .. tostring(v) end
      local all = {}
      for key, value in pairs(v) do
        table.insert(all, self(key, self) .. '=' .. self(value, self))
      end
      table.sort(all)
      return '{' .. table.concat(all, ' ') .. '}'
    end
    local function show(...)
      local all = {}
      for i = 1, select('#', ...) do all[i] = one(select(i, ...), one) end
      return all
    end
  )";
};

TEST_F(MiniRedisMessagePack, ValuesHaveTheBytesOfARealServer) {
  for (const char* value : {"nil",
                            "true",
                            "false",
                            "'text'",
                            "''",
                            "{}",
                            "{{}}",
                            "{1, 'a', {2}}",
                            "1, 2, 'three'",
                            "nil, nil",
                            "print",
                            "KEYS",
                            "ARGV",
                            "{a = 1}",
                            "{[0] = 1}",
                            "{[2] = 1}",
                            "{[1.5] = 1}",
                            "{[-1] = 1}",
                            "{['1'] = 1}",
                            "{1, nil, nil}",
                            "{[1] = {x = {}}}",
                            "{pack = cmsgpack.pack}",
                            "{[true] = false}",
                            "string.char(0, 255, 10)",
                            "redis.sha1hex('x')",
                            "0/0",
                            "1/0",
                            "-1/0",
                            "0.5",
                            "-0.5",
                            "0.1",
                            "-0",
                            "1e300",
                            "2^63",
                            "-2^63",
                            "2^64",
                            "2^53 + 1",
                            "1e18",
                            "16777217.5"}) {
    SamePack(value);
  }
}

TEST_F(MiniRedisMessagePack, WholeNumbersTakeTheFewestBytes) {
  for (const int bits : {0, 4, 5, 7, 8, 15, 16, 31, 32, 53, 62, 63}) {
    const std::string power = absl::StrCat("2^", bits);
    SamePack(absl::StrCat(power, ", ", power, " - 1, ", power, " + 1, -", power, ", -", power,
                          " - 1, -", power, " + 1"));
  }
}

TEST_F(MiniRedisMessagePack, LengthsTakeTheFewestBytes) {
  for (const int length : {0, 15, 16, 31, 32, 255, 256, 65535, 65536}) {
    SameScript("return cmsgpack.pack(string.rep('x', tonumber(ARGV[1])))", {absl::StrCat(length)});
    const std::string fill = "local t = {} for i = 1, tonumber(ARGV[1]) do t[i] = i end ";
    SameScript(fill + "return cmsgpack.pack(t)", {absl::StrCat(length)});
    SameScript(fill + "t.x = 1 return string.sub(cmsgpack.pack(t), 1, 5)", {absl::StrCat(length)});
    SameScript(fill + "t.x = 1 return #cmsgpack.unpack(cmsgpack.pack(t))", {absl::StrCat(length)});
  }
}

TEST_F(MiniRedisMessagePack, DeepTablesEndInNil) {
  for (const int depth : {14, 15, 16, 17, 40}) {
    for (const char* around : {"{t}", "{a = t}"}) {
      SameScript(absl::StrCat("local t = 'core' for i = 1, ", depth, " do t = ", around,
                              " end return cmsgpack.pack(t)"));
    }
  }
  SameScript("local t = {} t[1] = t return cmsgpack.pack(t)");
}

TEST_F(MiniRedisMessagePack, UnpackGivesEachValue) {
  SameUnpack("");
  SameUnpack("\x01\xa1x\xc3\x92\x01\x02");
  SameUnpack(std::string("\xc0\xc0\x01\xc0", 4));
  SameUnpack(std::string("\x93\x01\xc0\x03", 4));
  SameUnpack("\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xd3\xff\xff\xff\xff\xff\xff\xff\xfe");
  SameUnpack("\xce\xff\xff\xff\xff\xd2\xff\xff\xff\xff\xcd\xff\xff\xd1\xff\xff\xd0\xff\xcc\xff");
  SameUnpack("\x82\xa1k\x01\xa1k\x02");
  SameScript("return cmsgpack.unpack(12)");
}

TEST_F(MiniRedisMessagePack, ErrorsAreThoseOfARealServer) {
  EXPECT_EQ(SameUnpack("\x92\x01").elements.at(1).text, "string:Missing bytes in input.");
  EXPECT_EQ(SameUnpack("\xc1").elements.at(1).text, "string:Bad data format in input.");
  for (const char* packed : {"\xa2x",
                             "\xd9",
                             "\xd9\x02x",
                             "\xda\x01",
                             "\xdb\x01\x01\x01\x01x",
                             "\xdd\xff\xff\xff\xff\x01",
                             "\xdf\xff\xff\xff\xff\x01",
                             "\x81\x01",
                             "\x81\xc0\x01",
                             "\xca\x01",
                             "\xcb\x01",
                             "\xcc",
                             "\xcd\x01",
                             "\xce\x01",
                             "\xcf\x01",
                             "\xd0",
                             "\xd1\x01",
                             "\xd2\x01",
                             "\xd3\x01",
                             "\xc4\x01x",
                             "\xd4\x01x",
                             "\xc7\x01\x01x",
                             "\x01\xc1",
                             "\x92\x01\xc1"}) {
    SameUnpack(packed);
  }
  SameUnpack(std::string(9000, '\x01'));
  SameUnpack(std::string(9000, '\x91'));
  SameUnpack(std::string(9000, '\x81'));
  for (const char* call : {"pack", "unpack", "unpack, {}", "unpack, nil", "unpack, true"}) {
    SameScript(absl::StrCat("return {select(2, pcall(cmsgpack.", call, "))}"));
  }
  SameScript("return cmsgpack.unpack('\xc1')");
}

/// Lua expressions of nested values.
class RandomValues {
 public:
  explicit RandomValues(std::uint32_t seed) : random_(seed) {}

  std::string Value(int depth = 0) {
    switch (Upto(depth > 4 ? 4 : 7)) {
      case 0:
        return Upto(2) == 0 ? "true" : "false";
      case 1:
        return absl::StrCat("string.rep('ab', ", Upto(40), ")");
      case 2:
        return absl::StrCat(Upto(2) == 0 ? "-" : "", "2^", Upto(64), Upto(2) == 0 ? "+" : "-",
                            Upto(3));
      case 3:
        return absl::StrCat(Upto(1000), ".", Upto(1000));
      case 4:
        return "{" + Values("", depth) + "}";
      case 5:
        return "{" + Values("[#KEYS + %] = ", depth) + "}";
      default:
        return "{" + Values("field% = ", depth) + "}";
    }
  }

  std::string Bytes() {
    std::string bytes;
    for (int left = Upto(30); left > 0; --left) {
      bytes.push_back(static_cast<char>(Upto(3) == 0 ? Upto(256) : 0x80 + Upto(0x65)));
    }
    return bytes;
  }

 private:
  int Upto(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  /// `key` has a % for a number.
  std::string Values(std::string_view key, int depth) {
    std::string values;
    for (int i = Upto(depth == 0 ? 20 : 6); i > 0; --i) {
      std::string with(key);
      const std::size_t at = with.find('%');
      if (at != std::string::npos) with.replace(at, 1, absl::StrCat(Upto(30)));
      absl::StrAppend(&values, with, Value(depth + 1), ", ");
    }
    return values;
  }

  std::mt19937 random_;
};

TEST_F(MiniRedisMessagePack, RandomValuesComeBackAsInARealServer) {
  RandomValues random(1);
  for (int i = 0; i < 150 && !HasFailure(); ++i) SameValue(random.Value());
}

TEST_F(MiniRedisMessagePack, RandomBytesAreReadAsByARealServer) {
  RandomValues random(2);
  for (int i = 0; i < 2000 && !HasFailure(); ++i) SameUnpack(random.Bytes());
}

}  // namespace
}  // namespace tollbridge::test
