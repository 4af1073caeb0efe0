// SPDX-License-Identifier: Apache-2.0
// Makes small files of weights, sound and hostile, byte by byte. Included by tests and fuzz targets only.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace calfvo {

template <typename Integer>
std::string LittleEndian(Integer value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

inline std::span<const std::byte> AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// A safetensors file with this header and `data_size` zeros after it.
inline std::string TestSafetensors(const std::string& header, size_t data_size) {
  return LittleEndian<uint64_t>(header.size()) + header + std::string(data_size, '\0');
}

// A record of a zip archive. The directory repeats these fields, true or not.
struct TestRecord {
  std::string name;
  std::string payload;
  uint16_t flags = 0x0808;
  uint16_t method = 0;
  uint16_t disk = 0;
  int64_t size_change = 0;   // added to the true size
  int64_t begin_change = 0;  // added to the true offset of the local header
  uint32_t crc_change = 0;
  bool wide = false;         // sizes and offset in a 64-bit extra field
  std::string local_name{};  // if it differs
};

struct TestZipEnd {
  uint16_t disk = 0;
  int64_t count_change = 0;
  int64_t size_change = 0;
};

// An archive laid out as PyTorch does it: zeros in local headers, payloads at multiples of 64.
inline std::string TestZip(const std::vector<TestRecord>& records, const TestZipEnd& changes = {}) {
  std::string file;
  std::string directory;
  for (const TestRecord& record : records) {
    const std::string& local_name = record.local_name.empty() ? record.name : record.local_name;
    const uint64_t begin = file.size() + static_cast<uint64_t>(record.begin_change);
    const size_t padding = (64 - (file.size() + 34 + local_name.size()) % 64) % 64;
    const auto crc = static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(record.payload.data()),
                                                     record.payload.size())) +
                     record.crc_change;
    const uint64_t size = record.payload.size() + static_cast<uint64_t>(record.size_change);
    const std::string name_size = LittleEndian(static_cast<uint16_t>(record.name.size()));
    file += "PK\x03\x04" + std::string(2, '\0') + LittleEndian(record.flags) + LittleEndian(record.method) +
            std::string(16, '\0') + LittleEndian(static_cast<uint16_t>(local_name.size())) +
            LittleEndian(static_cast<uint16_t>(4 + padding)) + local_name + "FB" +
            LittleEndian(static_cast<uint16_t>(padding)) + std::string(padding, 'Z') + record.payload;

    std::string extra;
    if (record.wide)
      extra = LittleEndian<uint16_t>(1) + LittleEndian<uint16_t>(24) + LittleEndian(size) +
              LittleEndian(size) + LittleEndian(begin);
    const auto narrow = [&](uint64_t value) {
      return LittleEndian(record.wide ? 0xffffffffU : static_cast<uint32_t>(value));
    };
    directory += "PK\x01\x02" + std::string(4, '\0') + LittleEndian(record.flags) +
                 LittleEndian(record.method) + std::string(4, '\0') + LittleEndian(crc) + narrow(size) +
                 narrow(size) + name_size + LittleEndian(static_cast<uint16_t>(extra.size())) +
                 std::string(2, '\0') + LittleEndian(record.disk) + std::string(6, '\0') + narrow(begin) +
                 record.name + extra;
  }
  const uint64_t begin = file.size();
  const uint64_t size = directory.size() + static_cast<uint64_t>(changes.size_change);
  const uint64_t count = records.size() + static_cast<uint64_t>(changes.count_change);
  file += directory;
  const uint64_t end64 = file.size();
  file += "PK\x06\x06" + LittleEndian<uint64_t>(44) + std::string(12, '\0') + LittleEndian(count) +
          LittleEndian(count) + LittleEndian(size) + LittleEndian(begin);
  file += "PK\x06\x07" + std::string(4, '\0') + LittleEndian(end64) + LittleEndian<uint32_t>(1);
  const std::string short_count = LittleEndian(static_cast<uint16_t>(count));
  file += "PK\x05\x06" + LittleEndian(changes.disk) + std::string(2, '\0') + short_count + short_count +
          LittleEndian(static_cast<uint32_t>(size)) + LittleEndian(static_cast<uint32_t>(begin)) +
          std::string(2, '\0');
  return file;
}

// Opcodes of a pickle. Strings are values as pickles write them.
namespace pickled {

inline std::string Text(std::string_view text) {
  return "X" + LittleEndian(static_cast<uint32_t>(text.size())) + std::string(text);
}
inline std::string Int(int32_t value) {
  return "J" + LittleEndian(value);
}
inline std::string Long(int64_t value) {
  return "\x8a\x08" + LittleEndian(value);
}
inline std::string Global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string Tuple(const std::vector<std::string>& items) {
  std::string result = "(";
  for (const std::string& item : items) result += item;
  return result + "t";
}
inline std::string Ints(const std::vector<int64_t>& values) {
  std::vector<std::string> items;
  for (const int64_t value : values) items.push_back(Long(value));
  return Tuple(items);
}
inline std::string Call(const std::string& function, const std::string& arguments) {
  return function + arguments + "R";
}
// Keys and values in turn.
inline std::string Dict(const std::vector<std::string>& items) {
  std::string result = "}(";
  for (const std::string& item : items) result += item;
  return result + "u";
}
inline std::string Whole(const std::string& value) {
  return "\x80\x02" + value + ".";
}

// A tensor of a storage "0" of four floats, by default.
struct TensorText {
  std::string storage_class = Global("torch", "FloatStorage");
  std::string key = "0";
  std::string count = Int(4);
  std::string offset = Int(0);
  std::string shape = Ints({2, 2});
  std::string strides = Ints({2, 1});
  std::string function = Global("torch._utils", "_rebuild_tensor_v2");

  operator std::string() const {
    const std::string storage = Tuple({Text("storage"), storage_class, Text(key), Text("cpu"), count}) + "Q";
    const std::string hooks = Call(Global("collections", "OrderedDict"), ")");
    return Call(function, Tuple({storage, offset, shape, strides, "\x89", hooks}));
  }
};

}  // namespace pickled

// A PyTorch file with this pickle and one storage "0" of four floats.
inline std::string TestPth(const std::string& pickle) {
  return TestZip({{.name = "archive/data.pkl", .payload = pickle},
                  {.name = "archive/byteorder", .payload = "little"},
                  {.name = "archive/data/0", .payload = std::string(16, '\1')}});
}

}  // namespace calfvo
