// SPDX-License-Identifier: Apache-2.0
#include "commands/attention/attention_flow.h"

#include <algorithm>

namespace calfvo {

AttentionFlow::AttentionFlow(const WindowShape& shape, int64_t frame, int64_t token)
    : shape_(shape),
      followed_row_(static_cast<size_t>(shape.TokenRow(0, frame, token))),
      attentions_per_layer_(shape.camera_per_frame ? 2 : 1),
      shares_(static_cast<size_t>(shape.rows()), 0.0),
      attended_(shares_.size(), 0.0),
      sum_(shares_.size(), 0.0) {
  shares_[followed_row_] = 1.0;
}

void AttentionFlow::BeginAttention(int heads) {
  if (!started_) return;
  EndAttention();
  heads_ = heads;
}

void AttentionFlow::Attended(std::span<const int64_t> rows, std::span<const float> weights) {
  if (!started_) return;
  for (size_t i = 0; i < rows.size(); ++i) {
    double& attended = attended_[static_cast<size_t>(rows[i])];
    for (size_t j = 0; j < rows.size(); ++j) {
      const double weight{weights[i * rows.size() + j]};
      attended += weight * shares_[static_cast<size_t>(rows[j])];
    }
  }
}

void AttentionFlow::EndAttention() {
  if (heads_ == 0) return;
  for (size_t row = 0; row < shares_.size(); ++row) shares_[row] = attended_[row] / heads_;
  std::fill(attended_.begin(), attended_.end(), 0.0);
  heads_ = 0;
  if (++attentions_ % attentions_per_layer_ != 0) return;
  for (size_t row = 0; row < shares_.size(); ++row) sum_[row] += shares_[row];
  std::fill(shares_.begin(), shares_.end(), 0.0);
  shares_[followed_row_] = 1.0;
}

std::vector<double> AttentionFlow::Received(int64_t frame) {
  EndAttention();
  const int layers = std::max(attentions_ / attentions_per_layer_, 1);
  const auto first = sum_.begin() + shape_.TokenRow(0, frame, 0);
  std::vector<double> received(first, first + shape_.tokens);
  for (double& value : received) value /= layers;
  return received;
}

}  // namespace calfvo
