// SPDX-License-Identifier: Apache-2.0
// Several streams as one.
#pragma once

#include <memory>
#include <vector>

#include "data/window_stream.h"

namespace calfvo::train {

// Each batch is the batches of all parts for the same step, one after the other: their numbers of windows set
// the mixture. Parts must agree in everything else and be on one device. Motion of a part that does not know
// it is NaN where another part does.
class MixtureStream : public WindowStream {
 public:
  explicit MixtureStream(std::vector<std::unique_ptr<WindowStream>> parts);  // at least one

  WindowBatch At(int64_t step) override;

 private:
  const std::vector<std::unique_ptr<WindowStream>> parts_;
};

}  // namespace calfvo::train
