// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/paper_tables.h"

#include "core/config/toml_reader.h"
#include "eval/tables/paper_tables_text.h"
#include "nn/architecture/model_config_names.h"

namespace calfvo {
namespace {

template <typename Value>
Value Needed(const TomlTable& table, std::string_view key, std::optional<Value> value) {
  if (!value) table.Fail(key, "is missing");
  return *value;
}

std::string Text(TomlTable& table, std::string_view key) {
  return Needed(table, key, table.Text(key));
}
int64_t Integer(TomlTable& table, std::string_view key) {
  return Needed(table, key, table.Integer(key));
}
double Number(TomlTable& table, std::string_view key) {
  return Needed(table, key, table.Number(key));
}
bool Boolean(TomlTable& table, std::string_view key) {
  return Needed(table, key, table.Boolean(key));
}
template <typename Names>
auto Choice(TomlTable& table, std::string_view key, const Names& names) {
  return Needed(table, key, table.Choice(key, names));
}
std::vector<double> Numbers(TomlTable& table, std::string_view key, size_t count) {
  std::vector<double> numbers = table.Numbers(key, count);
  if (numbers.empty()) table.Fail(key, "is missing");
  return numbers;
}

}  // namespace

// Members of braces are read in their order.
PaperTables ParsePaperTables(std::string_view toml) {
  const std::string file = "paper_tables.toml";
  const toml::table parsed = ParseToml(toml, file);
  TomlTable top(parsed, file, "");
  PaperTables tables;
  for (TomlTable& row : top.Tables("benchmarks")) {
    tables.benchmarks.push_back({Text(row, "name"), Text(row, "kind")});
    row.RefuseUnknown();
  }
  const size_t count = tables.benchmarks.size();
  for (TomlTable& row : top.Tables("accuracy")) {
    tables.accuracy.push_back({Text(row, "method"), Boolean(row, "calibrated"), Boolean(row, "aligned"),
                               Numbers(row, "t_rel", count), Numbers(row, "r_rel", count)});
    row.RefuseUnknown();
  }
  for (TomlTable& row : top.Tables("ablations")) {
    tables.ablations.push_back(
        {Text(row, "name"),
         {Choice(row, "encoder", kEncoderNames), Choice(row, "attention", kDecoderNames),
          Choice(row, "rotation", kRotationNames), Boolean(row, "confidence")},
         Numbers(row, "t_rel", count),
         Numbers(row, "r_rel", count)});
    row.RefuseUnknown();
  }
  for (TomlTable& row : top.Tables("overlap")) {
    tables.overlap.push_back({Integer(row, "frames"), Numbers(row, "t_rel", count),
                              Numbers(row, "r_rel", count), Number(row, "estimates_per_pair"),
                              Number(row, "runtime_s")});
    row.RefuseUnknown();
  }
  for (TomlTable& row : top.Tables("completion")) {
    tables.completion.push_back(
        {Text(row, "method"), Text(row, "benchmark"), Integer(row, "completed"), Integer(row, "sequences")});
    row.RefuseUnknown();
  }
  TomlTable scale = Needed(top, "scale", top.Table("scale"));
  tables.scale = {Numbers(scale, "sequences", count), Numbers(scale, "median_scale", count),
                  Numbers(scale, "t_rel_aligned", count), Numbers(scale, "t_rel_as_is", count)};
  scale.RefuseUnknown();
  TomlTable global = Needed(top, "global", top.Table("global"));
  tables.global = {Numbers(global, "ate_as_is", count), Numbers(global, "ate_aligned", count),
                   Numbers(global, "are_as_is", count), Numbers(global, "are_aligned", count)};
  global.RefuseUnknown();
  TomlTable confidence = Needed(top, "confidence", top.Table("confidence"));
  tables.confidence = {Numbers(confidence, "t_rel", count), Numbers(confidence, "r_rel", count)};
  confidence.RefuseUnknown();
  TomlTable intrinsics = Needed(top, "intrinsics", top.Table("intrinsics"));
  tables.intrinsics = {Text(intrinsics, "method"),
                       Numbers(intrinsics, "sequences", count),
                       Numbers(intrinsics, "focal_mean", count),
                       Numbers(intrinsics, "focal_median", count),
                       Numbers(intrinsics, "focal_max", count),
                       Numbers(intrinsics, "principal_px", count),
                       Numbers(intrinsics, "axis_deg", count)};
  intrinsics.RefuseUnknown();
  for (TomlTable& row : top.Tables("speed_ratios")) {
    tables.speed_ratios.push_back({Text(row, "method"), Number(row, "least"), Number(row, "most")});
    row.RefuseUnknown();
  }
  TomlTable runtime = Needed(top, "runtime", top.Table("runtime"));
  tables.runtime = {Text(runtime, "benchmark"), Integer(runtime, "frames"),
                    Number(runtime, "frames_per_second"), Text(runtime, "hardware")};
  runtime.RefuseUnknown();
  top.RefuseUnknown();
  return tables;
}

PaperTables ReadPaperTables() {
  return ParsePaperTables(kPaperTablesText);
}

}  // namespace calfvo
