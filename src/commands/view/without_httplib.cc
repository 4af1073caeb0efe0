// SPDX-License-Identifier: Apache-2.0
// What stands in for view_server.cc in a build without cpp-httplib.
#include "calfvo/error.h"
#include "commands/view/view_server.h"

namespace calfvo {

bool CanServe() {
  return false;
}

class ViewServer::Impl {};

ViewServer::ViewServer(const ViewServerOptions&) {
  throw Error("this build has no cpp-httplib and cannot serve; open the view.html of the run in a browser");
}
ViewServer::~ViewServer() = default;

const std::string& ViewServer::url() const {
  static const std::string none;
  return none;
}

}  // namespace calfvo
