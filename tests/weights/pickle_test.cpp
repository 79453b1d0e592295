// The pickle machine on hand-written pickles: containers, inert calls, and bounds.
#include "models/weights/pickle.hpp"

#include <gmock/gmock.h>

#include "models/error.hpp"
#include "models/weights/checkpoint.hpp"
#include "tests/weights/test_files.hpp"

namespace seesay::weights {
namespace {

using Kind = PickleValue::Kind;
using testing::HasSubstr;

/// Reads `text` and keeps what it owns.
struct Read {
    explicit Read(const std::string& text, const PickleLimits& limits = {}) {
        bytes = bytes_of(text);
        result = read_pickle(bytes, tree, "f", limits);
    }
    PickleValue& value() { return *result.value; }
    std::vector<std::byte> bytes;
    PickleTree tree;
    PickleResult result;
};

std::string error_of(const std::string& text, const PickleLimits& limits = {}) {
    try {
        Read read(text, limits);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Pickle, Integers) {
    EXPECT_EQ(Read("K\xFF.").value().integer, 255);
    EXPECT_EQ(Read("M\xFF\xFF.").value().integer, 65535);
    EXPECT_EQ(Read("J\xFE\xFF\xFF\xFF.").value().integer, -2);
    EXPECT_EQ(Read("I-17\n.").value().integer, -17);
    EXPECT_EQ(Read("L9223372036854775807L\n.").value().integer, INT64_MAX);
    EXPECT_EQ(Read("L-9223372036854775808L\n.").value().integer, INT64_MIN);
    EXPECT_EQ(Read("\x8A\x01\x80.").value().integer, -128);
    EXPECT_EQ(Read(std::string("\x8A\x00.", 3)).value().integer, 0);
    EXPECT_EQ(Read("I01\n.").value().kind, Kind::Bool);
    EXPECT_EQ(Read("L9223372036854775808L\n.").value().kind, Kind::BigInteger);
}

TEST(Pickle, Reals) {
    EXPECT_EQ(Read("F-1.5e3\n.").value().real, -1500.0);
    EXPECT_EQ(Read(std::string("G\x3F\xF8\0\0\0\0\0\0.", 10)).value().real, 1.5);
}

TEST(Pickle, Strings) {
    EXPECT_EQ(Read("S'a\\'\\n\\x41\\\\'\n.").value().text, "a'\nA\\");
    EXPECT_EQ(Read("V\\u00e9\\U0001F600\xE9\n.").value().text, "é😀é");
    EXPECT_EQ(Read("U\x03"
                   "abc.")
                  .value()
                  .text,
              "abc");
}

TEST(Pickle, Containers) {
    Read read("}(S'a'\nK\x01S'b'\n(K\x01K\x02lu.");
    EXPECT_EQ(read.value().find("b")->items.size(), 2U);
    EXPECT_EQ(read.value().find("c"), nullptr);
    EXPECT_EQ(Read("(K\x01K\x02K\x03t.").value().items.size(), 3U);
    EXPECT_EQ(Read("}S'a'\nK\x01sS'a'\nK\x02s.").value().find("a")->integer, 2);
}

TEST(Pickle, MemoSharesOneObject) {
    Read read("(lp0\ng0\na.");
    EXPECT_EQ(read.value().items.at(0), &read.value());
}

TEST(Pickle, UnknownCallsStayInert) {
    Read read("cposix\nsystem\n(S'touch /tmp/x'\ntR.");
    EXPECT_EQ(read.value().kind, Kind::Object);
    EXPECT_TRUE(read.value().type->is_global("posix system"));
    EXPECT_EQ(read.value().items.at(0)->text, "touch /tmp/x");
}

TEST(Pickle, OldInstancesStayInert) {
    EXPECT_TRUE(Read("(K\x01iposix\nsystem\n.").value().type->is_global("posix system"));
    EXPECT_TRUE(Read("(cposix\nsystem\nK\x01o.").value().type->is_global("posix system"));
}

TEST(Pickle, ACallOfACallStaysInert) {
    // getattr(os, "system")("…")
    Read read("c__builtin__\ngetattr\n(cos\nos\nS'system'\ntR(S'touch /tmp/x'\ntR.");
    EXPECT_EQ(read.value().kind, Kind::Object);
    EXPECT_EQ(read.value().type->kind, Kind::Object);
}

TEST(Pickle, KnownContainersBecomeData) {
    EXPECT_EQ(Read("ccollections\nOrderedDict\n)R.").value().kind, Kind::Dict);
    Read old("ccollections\nOrderedDict\n(((S'a'\nK\x01lltR.");
    EXPECT_EQ(old.value().find("a")->integer, 1);
    EXPECT_EQ(Read("c__builtin__\nset\n((K\x01K\x02ltR.").value().items.size(), 2U);
    EXPECT_EQ(Read("c_codecs\nencode\n(V\\u00ff\nS'latin1'\ntR.").value().text, "\xFF");
}

TEST(Pickle, BadPicklesAreErrors) {
    EXPECT_THAT(error_of(""), HasSubstr("ends too early"));
    EXPECT_THAT(error_of("."), HasSubstr("stack is empty"));
    EXPECT_THAT(error_of("(."), HasSubstr("stack is empty"));
    EXPECT_THAT(error_of("N(."), HasSubstr("stack is empty"));
    EXPECT_THAT(error_of("t."), HasSubstr("mark is missing"));
    EXPECT_THAT(error_of("h\x07."), HasSubstr("memo entry 7"));
    EXPECT_THAT(error_of("\xFF."), HasSubstr("opcode 255"));
    EXPECT_THAT(error_of("\x80\x06N."), HasSubstr("newer than 5"));
    EXPECT_THAT(error_of("}(Nu."), HasSubstr("key without a value"));
    EXPECT_THAT(error_of("NNNs."), HasSubstr("no dictionary"));
    EXPECT_THAT(error_of("NNa."), HasSubstr("no list"));
    EXPECT_THAT(error_of("NNR."), HasSubstr("no tuple"));
    EXPECT_THAT(error_of("S'abc\n."), HasSubstr("no quotes"));
    EXPECT_THAT(error_of("S'\\q'\n."), HasSubstr("escape"));
    EXPECT_THAT(error_of("V\\u12\n."), HasSubstr("escape"));
    EXPECT_THAT(error_of("Iabc\n."), HasSubstr("not decimal"));
    EXPECT_THAT(error_of("Fabc\n."), HasSubstr("not a float"));
    EXPECT_THAT(error_of("X\xFF\xFF\xFF\x7F"), HasSubstr("a string of 2147483647 bytes"));
}

TEST(Pickle, LimitsHold) {
    EXPECT_THAT(error_of("NNNNN.", {.values = 4}), HasSubstr("more than 4 objects"));
    EXPECT_THAT(error_of("N222222.", {.stack = 4}), HasSubstr("grows beyond 4"));
    // Each call copies its argument, a list of four: 32 bytes.
    const std::string calls = "c__builtin__\nlist\np0\n0(NNNNlp1\n0(g1\ntp2\n0";
    std::string many = calls;
    for (int i = 0; i < 40; ++i) {
        many += "g0\ng2\nR0";
    }
    EXPECT_THAT(error_of(many + "N.", {.copied_bytes = 1000}), HasSubstr("repeats more"));
    EXPECT_EQ(error_of(many + "N."), "no error");
}

TEST(Checkpoint, SharedObjectsCannotMultiplyWithoutBound) {
    // l0 = []; l1 = [l0, l0]; … : 2⁵⁰ paths in a few hundred bytes.
    std::string text = "\x80\x02]";
    for (int i = 0; i < 50; ++i) {
        const std::string index(1, static_cast<char>(i));
        text += "q" + index + "0](h" + index + "h" + index + "e";
    }
    const std::vector<std::byte> bytes = bytes_of(text + ".");
    try {
        Checkpoint::parse(bytes, nullptr, "f");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("too often"));
    }
}

TEST(Checkpoint, DeepObjectsAreRefused) {
    std::string text = "\x80\x02";
    for (int i = 0; i < 100'000; ++i) {
        text += "](";
    }
    text += "N";
    for (int i = 0; i < 100'000; ++i) {
        text += "e";
    }
    const std::vector<std::byte> bytes = bytes_of(text + ".");
    try {
        Checkpoint::parse(bytes, nullptr, "f");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("too deeply"));
    }
}

}  // namespace
}  // namespace seesay::weights
