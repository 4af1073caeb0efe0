// SPDX-License-Identifier: Apache-2.0
// The paper's table of ablations out of several suites.
#pragma once

#include <span>

#include "eval/tables/paper_tables.h"
#include "eval/tables/result_table.h"
#include "eval/tables/suite_folder.h"

namespace calfvo {

// Which of the paper's rows are shown.
enum class PaperRows {
  kSameDesign,  // those of a design that one of the folders has
  kAll,
};

// A row per folder: what its model is, and t_rel and r_rel of each benchmark that one of them has. Below the
// last of those that are one of the paper's ablations, the paper's numbers. The best folders are marked where
// all that have a benchmark have the same sequences of it; else the note says so. The note also names what
// else keeps rows from being compared.
ResultTable AblationsTable(std::span<const SuiteFolder> folders, const PaperTables& paper,
                           PaperRows rows = PaperRows::kSameDesign);

}  // namespace calfvo
