// SPDX-License-Identifier: Apache-2.0
// What training without confidence costs: Table S1 of the paper.
#pragma once

#include <span>

#include "eval/tables/paper_tables.h"
#include "eval/tables/result_table.h"
#include "eval/tables/suite_folder.h"

namespace calfvo {

// t_rel and r_rel of each benchmark with and without confidence, and the change, positive where it is worse:
// the paper's, and below those of the first folder whose model has confidence and of the first that differs
// from it in that alone. Either may be missing.
ResultTable ConfidenceTable(std::span<const SuiteFolder> folders, const PaperTables& paper);

}  // namespace calfvo
