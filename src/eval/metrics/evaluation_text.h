// SPDX-License-Identifier: Apache-2.0
// Evaluations as text for people and as JSON for programs (the keys of docs/metrics.md).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "calfvo/evaluation.h"
#include "eval/metrics/attribution.h"

namespace calfvo {

// One sequence of several: an evaluation, or why there is none.
struct SequenceResult {
  std::string name;
  std::optional<Evaluation> evaluation;
  std::string error;
  std::optional<Attribution> attribution = {};
};

// A paragraph and a table of statistics.
std::string EvaluationText(const Evaluation& evaluation);

// A row per sequence and their average over the sequences that have an evaluation, as the paper averages; the
// same of attributions where the sequences have them.
std::string SequencesText(std::span<const SequenceResult> results);

// One object; not-a-number becomes null.
std::string EvaluationJson(const Evaluation& evaluation, const std::optional<Attribution>& attribution = {});

// {"sequences": […], "average": {…}, "completed": n}
std::string SequencesJson(std::span<const SequenceResult> results);

}  // namespace calfvo
