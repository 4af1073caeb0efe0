// SPDX-License-Identifier: Apache-2.0
// What moving objects cost, on synthetic clips.
#pragma once

#include "eval/tables/result_table.h"
#include "eval/tables/suite_numbers.h"

namespace calfvo {

// A row per share of the image that moving objects cover (SuiteSequence::movers): errors of the network and,
// where the suite refined, of refined paths.
ResultTable MoversTable(const SuiteNumbers& numbers);

}  // namespace calfvo
