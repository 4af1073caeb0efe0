// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "nn/weights/hostile_files.h"
#include "nn/weights/pth.h"

namespace calfvo {
namespace {

using pickled::Call;
using pickled::Dict;
using pickled::Global;
using pickled::Int;
using pickled::Ints;
using pickled::Long;
using pickled::TensorText;
using pickled::Text;
using pickled::Tuple;
using pickled::Whole;

const char* const kName = "m.pth";

// A file whose state dict has this one tensor.
std::string WithTensor(const TensorText& tensor) {
  return TestPth(Whole(Dict({Text("w"), tensor})));
}

std::string SoundPickle() {
  return Whole(Dict({Text("w"), TensorText()}));
}

// A sound file but for one more record.
std::string WithRecord(const TestRecord& record) {
  return TestZip({{.name = "archive/data.pkl", .payload = SoundPickle()},
                  {.name = "archive/data/0", .payload = std::string(16, '\1')},
                  record});
}

TEST(PthHostile, EveryPrefixIsRefused) {
  ExpectPrefixesRefused<PthFile>(TestPth(SoundPickle()));
}

TEST(PthHostile, Zip) {
  const std::string order = "archive/byteorder";
  const std::vector<TestRecord> no_end_changes = {{.name = "archive/data.pkl", .payload = SoundPickle()}};
  ExpectRefused<PthFile>(
      {
          {"PyTorch before 1.6", "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.",
           "m.pth: this is PyTorch's format from before version 1.6; load it there and re-save it with "
           "torch.save "
           "in PyTorch 1.6 or later"},
          {"no end record", "PK\x03\x04" + std::string(100, '\0'),
           "m.pth: zip: no end record; the file is cut short or not a zip archive"},
          {"compressed record (zip bomb)", WithRecord({.name = order, .payload = "little", .method = 8}),
           "m.pth: zip: entry 'archive/byteorder' is compressed (method 8); PyTorch stores entries "
           "uncompressed"},
          {"encrypted record", WithRecord({.name = order, .payload = "little", .flags = 0x0809}),
           "m.pth: zip: entry 'archive/byteorder' is encrypted"},
          {"record on another disk", WithRecord({.name = order, .payload = "little", .disk = 1}),
           "m.pth: zip: entry 'archive/byteorder' is on disk 1; expected one file"},
          {"archive of several disks", TestZip(no_end_changes, {.disk = 1}),
           "m.pth: zip: the archive spans several disks; expected one file"},
          {"one record name twice", WithRecord({.name = "archive/data/0", .payload = "little"}),
           "m.pth: zip: entry 'archive/data/0' occurs twice"},
          {"record beyond the data", WithRecord({.name = order, .payload = "little", .size_change = 1000}),
           "m.pth: zip: entry 'archive/byteorder' has 1006 bytes at 448, which run past the data's end at "
           "454"},
          {"huge 64-bit size",
           WithRecord({.name = order, .payload = "little", .size_change = int64_t{1} << 62, .wide = true}),
           "m.pth: zip: entry 'archive/byteorder' has 4611686018427387910 bytes at 448, which run past the "
           "data's "
           "end at 454"},
          {"huge 64-bit offset",
           WithRecord({.name = order, .payload = "little", .begin_change = int64_t{1} << 62, .wide = true}),
           "m.pth: zip: entry 'archive/byteorder' has no local header at byte 4611686018427388240"},
          {"overlapping records",
           TestZip({{.name = "archive/data.pkl", .payload = SoundPickle(), .size_change = 64},
                    {.name = "archive/data/0", .payload = std::string(16, '\1')}}),
           "m.pth: zip: entries 'archive/data.pkl' and 'archive/data/0' overlap"},
          {"local header of another name",
           WithRecord({.name = order, .payload = "little", .local_name = "archive/byteordeR"}),
           "m.pth: zip: entry 'archive/byteorder' has a local header that disagrees with the directory"},
          {"more records than the directory can hold", TestZip(no_end_changes, {.count_change = 1 << 15}),
           "m.pth: zip: the directory claims 32769 entries in 62 bytes; expected at most 262144 of at least "
           "46 "
           "bytes"},
          {"fewer records than the directory holds", TestZip(no_end_changes, {.count_change = -1}),
           "m.pth: zip: the directory is longer than its entries"},
          {"directory of the wrong size", TestZip(no_end_changes, {.size_change = 1}),
           "m.pth: zip: the directory has 63 bytes at 243; expected it to end at 305"},
          {"empty archive", TestZip({}),
           "m.pth: the zip archive is empty; expected a file written by torch.save"},
          {"wrong checksum", WithRecord({.name = order, .payload = "little", .crc_change = 1}),
           "m.pth: zip: entry 'archive/byteorder' has checksum 19e33d85; expected 19e33d86: the file is "
           "damaged"},
          {"big-endian file", WithRecord({.name = order, .payload = "big"}),
           "m.pth: byteorder is 'big'; expected 'little'"},
          {"forged byteorder", WithRecord({.name = order, .payload = "little\n"}),
           "m.pth: byteorder is 'little\\x0a'; expected 'little'"},
          {"no data.pkl", TestZip({{.name = "archive/version", .payload = "3\n"}}),
           "m.pth: no record 'archive/data.pkl'; was this written by torch.save?"},
      },
      kName);
}

TEST(PthHostile, Tensors) {
  const std::string self = "m.pth: tensor 'w' ";
  const auto beyond = [&](const std::string& rest) {
    return self + "reaches beyond its storage of 4 elements: " + rest;
  };
  ExpectRefused<PthFile>(
      {
          {"record shorter than its storage", WithTensor({.count = Int(5)}),
           self + "has a storage of 20 bytes, but its record 'archive/data/0' has 16"},
          {"record longer than its storage",
           WithTensor({.count = Int(3), .shape = Ints({3}), .strides = Ints({1})}),
           self + "has a storage of 12 bytes, but its record 'archive/data/0' has 16"},
          {"storage count overflows", WithTensor({.count = Long(int64_t{1} << 62)}),
           self + "has a storage of 4611686018427387904 elements of F32"},
          {"negative storage count", WithTensor({.count = Int(-1)}),
           self + "has the number -1 as its storage's count; expected a whole number from 0"},
          {"storage key that is a path", WithTensor({.key = "../x"}),
           self + "has the storage key '../x'; expected a decimal number"},
          {"storage key with leading zero", WithTensor({.key = "00"}),
           self + "has the storage key '00'; expected a decimal number"},
          {"storage without a record", WithTensor({.key = "7"}),
           "m.pth: no record 'archive/data/7'; was this written by torch.save?"},
          {"shape beyond the storage", WithTensor({.shape = Ints({3, 2})}),
           beyond("shape [3, 2], strides [2, 1], offset 0")},
          {"offset beyond the storage", WithTensor({.offset = Int(1)}),
           beyond("shape [2, 2], strides [2, 1], offset 1")},
          {"strides that overflow",
           WithTensor({.shape = Ints({5, 2}), .strides = Ints({int64_t{1} << 62, 1})}),
           beyond("shape [5, 2], strides [4611686018427387904, 1], offset 0")},
          {"offset of an empty tensor", WithTensor({.offset = Int(9), .shape = Ints({0, 2})}),
           beyond("shape [0, 2], strides [2, 1], offset 9")},
          {"negative offset", WithTensor({.offset = Int(-1)}),
           self + "has the number -1 as its offset; expected a whole number from 0"},
          {"negative size in a shape", WithTensor({.shape = Ints({2, -2})}),
           self + "has the number -2 as its shape; expected a whole number from 0"},
          {"negative stride", WithTensor({.strides = Ints({-2, 1})}),
           self + "has the number -2 as its strides; expected a whole number from 0"},
          {"element count overflows", WithTensor({.shape = Ints({int64_t{1} << 40, int64_t{1} << 40})}),
           self + "has shape [1099511627776, 1099511627776], which has more elements than 64 bits can count"},
          {"shape and strides of different rank", WithTensor({.strides = Ints({1})}),
           self + "has shape [2, 2] but strides [1]"},
          {"shape that is not a tuple", WithTensor({.shape = "]"}),
           self + "has a list of 0 items as its shape; expected a tuple of at most 8"},
          {"one element repeated 2^40 times",
           WithTensor({.shape = Ints({int64_t{1} << 40}), .strides = Ints({0})}),
           "m.pth: tensor 'w' and those before it repeat their storages too often: copies would take over 4 "
           "times "
           "the file's size"},
          {"text instead of a storage",
           TestPth(Whole(Dict({Text("w"), Call(Global("torch._utils", "_rebuild_tensor_v2"),
                                               Tuple({Text("0"), Int(0), ")", ")", "N", "N"}))}))),
           self + "has the text '0' for a storage"},
          {"tensor of too few values",
           TestPth(Whole(Dict({Text("w"), Call(Global("torch._utils", "_rebuild_tensor_v2"), ")")}))),
           self + "is rebuilt from 0 values; expected at least 6"},
          {"one tensor name twice", TestPth(Whole(Dict({Text("w"), TensorText(), Text("w"), TensorText()}))),
           self + "occurs twice"},
          {"no tensors", TestPth(Whole(Dict({Text("epoch"), Int(3)}))),
           "m.pth: there are no tensors in the state dict; its keys are: 'epoch'"},
          {"a whole module instead of a state dict",
           TestPth(Whole(Dict({Text("model"), Global("my.net", "Net") + ")\x81" + Dict({}) + "b"}))),
           "m.pth: the entry 'model' is an object of 'my.net.Net'; expected a dict of tensors, as "
           "model.state_dict() gives it"},
          {"a list instead of a dict", TestPth(Whole("]")),
           "m.pth: the file holds a list; expected a dict of tensors, as model.state_dict() gives it"},
      },
      kName);
}

TEST(PthHostile, Pickles) {
  const std::string self = "m.pth: data.pkl: byte ";
  std::string marks(1001, '(');
  std::string memo;
  std::string values;
  std::string references;
  for (int i = 0; i <= 1 << 20; ++i) {
    memo += "r" + LittleEndian(i);
    values += "Na";
    references += "h\x01";
  }
  ExpectRefused<PthFile>(
      {
          {"opcode that imports from the stack", TestPth(Whole(Text("os") + Text("system") + "\x93")),
           self + "20: opcode 0x93 is not one that torch.save writes"},
          {"protocol 4", TestPth("\x80\x04N."),
           self + "0: pickle protocol 4; expected 2, torch.save's default"},
          {"empty pickle", TestPth(""), self + "0: the pickle is cut short"},
          {"text longer than the pickle", TestPth("\x80\x02X\xff\xff\xff\xff."),
           self + "2: the pickle is cut short"},
          {"name without an end",
           TestPth("\x80\x02"
                   "ctorch."),
           self + "2: the pickle is cut short"},
          {"two values left", TestPth(Whole("NN")), self + "4: the pickle ends with 2 values; expected one"},
          {"bytes after the end", TestPth(Whole("N") + "x"), self + "3: 1 bytes follow the end"},
          {"value taken from nothing", TestPth(Whole("R")),
           self + "2: an opcode needs more values than the stack has"},
          {"value taken from under a mark", TestPth(Whole("N(a")),
           self + "4: an opcode needs more values than the stack has"},
          {"items without a mark", TestPth(Whole("}u")), self + "3: an opcode finds no mark"},
          {"key without a value", TestPth(Whole("}(Nu")), self + "5: a dict gets a key without a value"},
          {"item added to a number", TestPth(Whole("K\x01Na")),
           self + "5: items are added to a value that cannot hold them"},
          {"memo used before it is set", TestPth(Whole("h\x07")),
           self + "2: memo 7 is used before it is set"},
          {"1,001 marks", TestPth(Whole(marks)), self + "1002: more than 1000 marks are open"},
          {"2^20 + 1 values on the stack", TestPth(Whole("Nq\x01" + references)),
           self + "2097155: the stack has more than 1048576 values"},
          {"2^20 + 1 memo entries", TestPth(Whole("N" + memo)),
           self + "5242883: the memo has more than 1048576 values"},
          {"2^20 + 1 values in a list", TestPth(Whole("]" + values)),
           self + "2097153: the pickle has more than 1048576 values"},
          {"pickle of over 16 MiB", TestPth(std::string((16 << 20) + 1, 'N')),
           self + "0: the pickle has 16777217 bytes; expected at most 16777216"},
      },
      kName);
}

// What would run under Python's own pickle stays a description here.
TEST(PthHostile, CallsAreNeverMade) {
  const TempFolder folder;
  const std::string witness = (folder.path() / "witness").string();
  for (const auto& [module, name] : {std::pair("os", "system"), {"posix", "system"}, {"builtins", "eval"}}) {
    const std::string call = Call(Global(module, name), Text("touch " + witness) + "\x85");
    const std::string file =
        TestPth(Whole(Dict({Text("w"), TensorText(), Text("evil"), call, Text("args"), call})));
    const PthFile read(AsBytes(file), kName);
    EXPECT_EQ(read.names().size(), 1U);
    EXPECT_EQ(read.WhyMissing("evil"), std::string("is an object of '") + module + "." + name + "'");
    EXPECT_FALSE(std::filesystem::exists(witness));
  }
}

TEST(PthHostile, CyclesAreHarmless) {
  // A state dict that contains itself, and a list that does, beside a sound tensor.
  const std::string pickle = Whole("}q\x01(" + Text("self") + "h\x01" + Text("list") +
                                   "]q\x02h\x02"
                                   "a" +
                                   Text("w") + std::string(TensorText()) + "u");
  const std::string file = TestPth(pickle);
  const PthFile read(AsBytes(file), kName);
  EXPECT_EQ(read.names().size(), 1U);
  EXPECT_EQ(read.WhyMissing("self"), "is a dict");
}

// Many entries that all refer to one large dict must not take the product of both in time.
TEST(PthHostile, RepeatedReferencesAreBounded) {
  std::string pickle =
      "}(" + Text("model") + "}" + Text("w") + std::string(TensorText()) + "s" + Text("big") + "}q\x01(";
  for (int i = 0; i < 50'000; ++i) pickle += "K\x01N";
  pickle += "u";
  for (int i = 0; i < 50'000; ++i) pickle += Int(i) + "h\x01";
  const std::string file = TestPth(Whole(pickle + "u"));
  const PthFile read(AsBytes(file), kName);
  EXPECT_EQ(read.names().size(), 1U);
}

}  // namespace
}  // namespace calfvo
