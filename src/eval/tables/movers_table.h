// SPDX-License-Identifier: Apache-2.0
// What moving objects cost, on synthetic clips.
#pragma once

#include "eval/tables/result_table.h"
#include "eval/tables/suite_numbers.h"

namespace calfvo {

// For every share of the image that moving objects cover (SuiteSequence::movers), a row each for the network
// and, where the suite refined, for refined paths; with masks and without them, as far as there are results.
ResultTable MoversTable(const SuiteNumbers& numbers);

}  // namespace calfvo
