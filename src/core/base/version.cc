// SPDX-License-Identifier: Apache-2.0
#include "calfvo/version.h"

namespace calfvo {

const char* Version() {
  return CALFVO_VERSION;
}

}  // namespace calfvo
