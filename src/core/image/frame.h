// SPDX-License-Identifier: Apache-2.0
// One image of a video, and what its view must fulfil.
#pragma once

#include "calfvo/frames.h"
#include "core/image/image_view.h"
