// SPDX-License-Identifier: Apache-2.0
// An .npz file is a zip archive of .npy arrays, here stored without compression. Arrays are produced row by
// row twice, first for the checksum that the zip header needs, then for the bytes, so that nothing is held in
// memory.
#include <fmt/format.h>
#include <zlib.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "core/base/little_endian.h"
#include "core/trajectory/formats.h"

namespace calfvo {
namespace {

struct Array {
  std::string name;
  std::string dtype;              // NumPy's: "<i8", "<f8"
  std::vector<size_t> row_shape;  // without the first dimension
  std::function<void(size_t row, std::string*)> append_row;
};

std::string NpyHeader(const Array& array, size_t rows) {
  std::string shape = fmt::format("{},", rows);
  for (const size_t size : array.row_shape) shape += fmt::format(" {},", size);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", array.dtype, shape);
  // Magic, version and length take 10 bytes; NumPy wants the data to start at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  AppendLittleEndian<uint16_t>(static_cast<uint16_t>(header.size()), &bytes);
  return bytes + header;
}

// Calls `sink` with the bytes of the .npy file, in pieces.
template <typename Sink>
void ProduceNpy(const Array& array, size_t rows, Sink&& sink) {
  std::string piece = NpyHeader(array, rows);
  for (size_t row = 0; row < rows; ++row) {
    array.append_row(row, &piece);
    if (piece.size() >= 64 << 10) {
      sink(piece);
      piece.clear();
    }
  }
  sink(piece);
}

struct Entry {
  std::string name;
  uint32_t crc = 0;
  uint32_t size = 0;
  uint32_t offset = 0;
};

// The fields that the local header and the central directory share.
void AppendEntryFields(const Entry& entry, std::string* bytes) {
  AppendLittleEndian<uint16_t>(20, bytes);    // version needed
  AppendLittleEndian<uint16_t>(0, bytes);     // flags
  AppendLittleEndian<uint16_t>(0, bytes);     // stored
  AppendLittleEndian<uint16_t>(0, bytes);     // time, fixed so that the same input gives the same bytes
  AppendLittleEndian<uint16_t>(0x21, bytes);  // date: 1980-01-01
  AppendLittleEndian<uint32_t>(entry.crc, bytes);
  AppendLittleEndian<uint32_t>(entry.size, bytes);  // compressed
  AppendLittleEndian<uint32_t>(entry.size, bytes);  // uncompressed
  AppendLittleEndian<uint16_t>(static_cast<uint16_t>(entry.name.size()), bytes);
  AppendLittleEndian<uint16_t>(0, bytes);  // extra field
}

void AppendDirectoryEntry(const Entry& entry, std::string* bytes) {
  bytes->append("PK\x01\x02", 4);
  AppendLittleEndian<uint16_t>(20, bytes);  // version made by
  AppendEntryFields(entry, bytes);
  AppendLittleEndian<uint16_t>(0, bytes);  // comment
  AppendLittleEndian<uint16_t>(0, bytes);  // disk
  AppendLittleEndian<uint16_t>(0, bytes);  // internal attributes
  AppendLittleEndian<uint32_t>(0, bytes);  // external attributes
  AppendLittleEndian<uint32_t>(entry.offset, bytes);
  *bytes += entry.name;
}

void WriteZip(const std::vector<Array>& arrays, size_t rows, AtomicFile& file) {
  uint64_t offset = 0;
  std::string directory;
  for (const Array& array : arrays) {
    Entry entry{.name = array.name + ".npy", .offset = static_cast<uint32_t>(offset)};
    uint64_t size = 0;
    uLong crc = ::crc32(0, nullptr, 0);
    ProduceNpy(array, rows, [&](const std::string& piece) {
      crc = ::crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
      size += piece.size();
    });
    if (offset + size > std::numeric_limits<uint32_t>::max() - (1 << 20)) {
      throw Error(fmt::format("NPZ export: {} poses need over 4 GiB; write CSV instead", rows));
    }
    entry.crc = static_cast<uint32_t>(crc);
    entry.size = static_cast<uint32_t>(size);

    std::string local("PK\x03\x04", 4);
    AppendEntryFields(entry, &local);
    local += entry.name;
    file.Write(local);
    ProduceNpy(array, rows, [&](const std::string& piece) { file.Write(piece); });
    AppendDirectoryEntry(entry, &directory);
    offset += local.size() + size;
  }
  std::string end("PK\x05\x06", 4);
  AppendLittleEndian<uint32_t>(0, &end);  // disks
  AppendLittleEndian<uint16_t>(static_cast<uint16_t>(arrays.size()), &end);
  AppendLittleEndian<uint16_t>(static_cast<uint16_t>(arrays.size()), &end);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(directory.size()), &end);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(offset), &end);
  AppendLittleEndian<uint16_t>(0, &end);  // comment
  file.Write(directory + end);
}

}  // namespace

void WriteNpz(const Trajectory& trajectory, AtomicFile& file) {
  const auto append_doubles = [](const double* values, size_t count, std::string* bytes) {
    bytes->append(reinterpret_cast<const char*>(values), count * sizeof(double));
  };
  std::vector<Array> arrays;
  arrays.push_back({"timestamps_ns", "<i8", {}, [&](size_t i, std::string* bytes) {
                      AppendLittleEndian<int64_t>(trajectory.timestamps_ns[i], bytes);
                    }});
  arrays.push_back({"positions", "<f8", {3}, [&](size_t i, std::string* bytes) {
                      append_doubles(trajectory.world_from_camera[i].translation.data(), 3, bytes);
                    }});
  arrays.push_back({"quaternions_xyzw", "<f8", {4}, [&](size_t i, std::string* bytes) {
                      append_doubles(trajectory.world_from_camera[i].rotation.coeffs().data(), 4, bytes);
                    }});
  if (!trajectory.covariances.empty()) {
    arrays.push_back({"covariances", "<f8", {6, 6}, [&](size_t i, std::string* bytes) {
                        append_doubles(trajectory.covariances[i].data(), 36, bytes);
                      }});
  }
  WriteZip(arrays, trajectory.size(), file);
}

}  // namespace calfvo
