// SPDX-License-Identifier: Apache-2.0
// A network on its backend, for several estimators in turn.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "calfvo/model.h"
#include "nn/architecture/model_file.h"
#include "nn/backend/backends.h"
#include "nn/model/network.h"

namespace calfvo {

// A caller of the backend or the network holds `mutex`. At most one estimator's windows are being decoded:
// the next to decode first collects their results (Collect), so that none waits for another's FinishEstimate.
class SharedNetwork {
 public:
  // Copies the weights: `model` may be destroyed afterwards. `threads` as in ThreadPool. Calibrates backends
  // with 8-bit operands.
  SharedNetwork(const ModelFile& model, const BackendKind& kind, int threads);

  // The network behind a public handle.
  static const std::shared_ptr<SharedNetwork>& Of(const Model& model) { return model.network_; }

  // The windows that have begun write their results to `values`, borrowed until Collect or Abandon.
  void Expect(std::vector<float>& values) { expected_ = &values; }
  bool Expects(const std::vector<float>& values) const { return expected_ == &values; }
  // Waits for the windows that have begun, if any. If that throws, they are still expected.
  void Collect();
  // Collects if `values` are expected, and ignores failures: they may go then.
  void Abandon(const std::vector<float>& values) noexcept;

  std::mutex mutex;
  const std::unique_ptr<Backend> backend;
  Network network;

 private:
  void Calibrate();

  std::vector<float>* expected_ = nullptr;
};

}  // namespace calfvo
