// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/hostile_files.h"
#include "nn/weights/safetensors.h"
#include "nn/weights/safetensors_header.h"

namespace calfvo {
namespace {

// A header with one tensor "w".
std::string OneTensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

// Two tensors of two floats each, with these offsets.
std::string TwoTensors(const std::string& first, const std::string& second) {
  return R"({"a":{"dtype":"F32","shape":[2],"data_offsets":)" + first +
         R"(},"b":{"dtype":"F32","shape":[2],"data_offsets":)" + second + "}}";
}

TEST(SafetensorsHostile, EveryPrefixIsRefused) {
  ExpectPrefixesRefused<SafetensorsFile>(TestSafetensors(TwoTensors("[0,8]", "[8,16]"), 16));
}

TEST(SafetensorsHostile, Layout) {
  ExpectRefused<SafetensorsFile>(
      {
          {"shorter than the header length", "abc",
           "m.safetensors: the file has 3 bytes; expected a header length of 8 bytes first"},
          {"huge header length", LittleEndian(~uint64_t{0}) + "{}",
           "m.safetensors: the header length is 18446744073709551615; expected at most 100000000"},
          {"header longer than the file", LittleEndian<uint64_t>(1000) + "{}",
           "m.safetensors: the header length is 1000, but only 2 bytes follow; the file is cut short"},
          {"empty header", LittleEndian<uint64_t>(0),
           "m.safetensors: the header begins with ''; expected '{'"},
          {"header begins with a space", TestSafetensors(" {}", 0),
           "m.safetensors: the header begins with ' '; expected '{'"},
          {"overlapping tensors", TestSafetensors(TwoTensors("[0,8]", "[4,12]"), 12),
           "m.safetensors: tensor 'b' begins at byte 4 of the data, overlapping the end of the one before at "
           "8"},
          {"two tensors on the same bytes", TestSafetensors(TwoTensors("[0,8]", "[0,8]"), 8),
           "m.safetensors: tensor 'b' begins at byte 0 of the data, overlapping the end of the one before at "
           "8"},
          {"hole between tensors", TestSafetensors(TwoTensors("[0,8]", "[12,20]"), 20),
           "m.safetensors: tensor 'b' begins at byte 12 of the data, leaving a hole after the end of the one "
           "before at 8"},
          {"hole before the first tensor", TestSafetensors(OneTensor("\"U8\"", "[1]", "[1,2]"), 2),
           "m.safetensors: tensor 'w' begins at byte 1 of the data, leaving a hole after the end of the one "
           "before at 0"},
          {"data cut short", TestSafetensors(TwoTensors("[0,8]", "[8,16]"), 15),
           "m.safetensors: the tensors take 16 bytes, but 15 follow the header; the file is cut short"},
          {"bytes after the last tensor", TestSafetensors(TwoTensors("[0,8]", "[8,16]"), 17),
           "m.safetensors: the tensors take 16 bytes, but 17 follow the header"},
      },
      "m.safetensors");
}

TEST(SafetensorsHostile, Entries) {
  ExpectRefused<SafetensorsFile>(
      {
          {"unknown dtype", TestSafetensors(OneTensor("\"F7\"", "[1]", "[0,1]"), 1),
           "m.safetensors: tensor 'w' has the dtype 'F7', which is not supported"},
          {"dtype of 4 bits", TestSafetensors(OneTensor("\"F4\"", "[2]", "[0,1]"), 1),
           "m.safetensors: tensor 'w' has the dtype 'F4', which is not supported"},
          {"dtype that is a number", TestSafetensors(OneTensor("32", "[1]", "[0,4]"), 4),
           "m.safetensors: tensor 'w' has a number as its dtype; expected a string"},
          {"size that does not match", TestSafetensors(OneTensor("\"F32\"", "[3]", "[0,8]"), 8),
           "m.safetensors: tensor 'w' has data_offsets [0, 8], 8 bytes, but F32 [3] does not take that many"},
          {"product of sizes overflows",
           TestSafetensors(OneTensor("\"F32\"", "[4294967296,4294967296,4294967296]", "[0,0]"), 0),
           "m.safetensors: tensor 'w' has shape [4294967296, 4294967296, 4294967296], which has more "
           "elements "
           "than 64 bits can count"},
          {"bytes overflow", TestSafetensors(OneTensor("\"F32\"", "[4611686018427387904]", "[0,0]"), 0),
           "m.safetensors: tensor 'w' has data_offsets [0, 0], 0 bytes, but F32 [4611686018427387904] does "
           "not "
           "take that many"},
          {"offsets end before they begin", TestSafetensors(OneTensor("\"U8\"", "[1]", "[2,1]"), 2),
           "m.safetensors: tensor 'w' has data_offsets [2, 1], which end before they begin"},
          {"negative size", TestSafetensors(OneTensor("\"F32\"", "[-1]", "[0,4]"), 4),
           "m.safetensors: tensor 'w' has '-1' in its shape; expected whole numbers from 0"},
          {"fraction as size", TestSafetensors(OneTensor("\"F32\"", "[1.0]", "[0,4]"), 4),
           "m.safetensors: tensor 'w' has '1.0' in its shape; expected whole numbers from 0"},
          {"size beyond 63 bits", TestSafetensors(OneTensor("\"F32\"", "[9223372036854775808]", "[0,4]"), 4),
           "m.safetensors: tensor 'w' has a size of 9223372036854775808 in its shape; expected at most 2^63 "
           "- 1"},
          {"nine dimensions", TestSafetensors(OneTensor("\"U8\"", "[1,1,1,1,1,1,1,1,1]", "[0,1]"), 1),
           "m.safetensors: tensor 'w' has more than 8 dimensions"},
          {"text in the shape", TestSafetensors(OneTensor("\"U8\"", "[\"1\"]", "[0,1]"), 1),
           "m.safetensors: tensor 'w' has a string in its shape; expected whole numbers from 0"},
          {"shape that is a number", TestSafetensors(OneTensor("\"U8\"", "1", "[0,1]"), 1),
           "m.safetensors: tensor 'w' has a number as its shape; expected an array of whole numbers"},
          {"three offsets", TestSafetensors(OneTensor("\"U8\"", "[1]", "[0,1,2]"), 1),
           "m.safetensors: tensor 'w' has more than two data_offsets; expected [begin, end]"},
          {"one offset", TestSafetensors(OneTensor("\"U8\"", "[1]", "[0]"), 1),
           "m.safetensors: tensor 'w' has 1 data_offsets; expected [begin, end]"},
          {"no shape", TestSafetensors(R"({"w":{"dtype":"U8","data_offsets":[0,1]}})", 1),
           "m.safetensors: tensor 'w' has no shape"},
          {"unknown field", TestSafetensors(R"({"w":{"strides":[1]}})", 0),
           "m.safetensors: tensor 'w' has a field 'strides'; expected dtype, shape and data_offsets"},
      },
      "m.safetensors");
}

TEST(SafetensorsHostile, Json) {
  ExpectRefused<SafetensorsFile>(
      {
          {"not JSON", TestSafetensors("{\"w\":", 0),
           "m.safetensors: the header is not valid JSON at byte 6"},
          {"text after the object", TestSafetensors("{}x", 0),
           "m.safetensors: the header is not valid JSON at byte 3"},
          {"not UTF-8", TestSafetensors("{\"\xff\":{}}", 0),
           "m.safetensors: the header is not valid JSON at byte 3"},
          {"one name twice",
           TestSafetensors(R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"w":{"dtype":"U8"}})", 0),
           "m.safetensors: the name 'w' occurs twice"},
          {"metadata twice", TestSafetensors(R"({"__metadata__":{},"__metadata__":{}})", 0),
           "m.safetensors: the name '__metadata__' occurs twice"},
          {"one metadata key twice", TestSafetensors(R"({"__metadata__":{"a":"1","a":"2"}})", 0),
           "m.safetensors: the metadata key 'a' occurs twice"},
          {"one field twice", TestSafetensors(R"({"w":{"dtype":"U8","dtype":"U8"}})", 0),
           "m.safetensors: tensor 'w' has the field 'dtype' twice"},
          {"metadata that is not text", TestSafetensors(R"({"__metadata__":{"a":1}})", 0),
           "m.safetensors: metadata 'a' is a number; expected a string"},
          {"tensor that is null", TestSafetensors(R"({"w":null})", 0),
           "m.safetensors: 'w' is null; expected an object"},
          {"100,000 opening brackets", TestSafetensors("{\"w\":" + std::string(100'000, '['), 0),
           "m.safetensors: 'w' is an array; expected an object"},
          {"nested objects", TestSafetensors(R"({"w":{"shape":{"w":{"shape":{}}}}})", 0),
           "m.safetensors: tensor 'w' has an object as its shape; expected an array of whole numbers"},
          {"control codes in a name", TestSafetensors(R"({"\u001b[2J":7})", 0),
           "m.safetensors: '\\x1b[2J' is a number; expected an object"},
      },
      "m.safetensors");
}

TEST(SafetensorsHostile, CountsAreLimited) {
  std::string header = "{";
  std::string metadata = R"({"__metadata__":{)";
  for (size_t i = 0; i <= kMaxSafetensorsEntries; ++i) {
    header += "\"" + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
    metadata += "\"" + std::to_string(i) + "\":\"\",";
  }
  ExpectRefused<SafetensorsFile>(
      {{"65,537 tensors", TestSafetensors(header, 0), "m.safetensors: there are more than 65536 tensors"},
       {"65,537 metadata keys", TestSafetensors(metadata, 0),
        "m.safetensors: there are more than 65536 metadata keys"}},
      "m.safetensors");
}

}  // namespace
}  // namespace calfvo
