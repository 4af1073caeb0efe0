// SPDX-License-Identifier: Apache-2.0
// Networks as training begins with them, and as it leaves them.
#pragma once

#include <filesystem>

#include "loop/train_options.h"
#include "network/train_network.h"

namespace calfvo::train {

// The network that the options describe, on the CPU: weights from init, encoder from init_encoder, the rest
// drawn from the seed. With input.aspect, init may be a model without it; the outputs are then equal at
// first.
TrainNetwork MakeNetwork(const TrainOptions& options);

// Writes a model file whose uncertainties are in radians and metres.
void ExportModel(const TrainNetworkImpl& network, const TrainOptions& options,
                 const std::filesystem::path& path);

}  // namespace calfvo::train
