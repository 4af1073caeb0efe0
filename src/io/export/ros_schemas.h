// SPDX-License-Identifier: Apache-2.0
// Definitions of the ROS 2 and Foxglove messages that are exported, as MCAP's "ros2msg" schemas.
#pragma once

#include <string>
#include <string_view>

namespace calfvo {

// The definition of `type`, such as "nav_msgs/msg/Path", followed by those of the types that it uses. Throws
// Error for a type that is not exported.
std::string RosSchema(std::string_view type);

}  // namespace calfvo
