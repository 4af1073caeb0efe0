// SPDX-License-Identifier: Apache-2.0
// Serves the viewer and run folders to browsers on this machine.
//
// Addresses: / is the page, /api/runs, /api/run/N, /api/frames/N and /api/frame/N/FRAME its data, /api/events
// a run under way. None contains a path, so none can leave the given folders. Requests with another Host than
// this server's address (DNS rebinding) and from pages of other sites are refused, and the page's content
// security policy allows nothing but its own script.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands/view/live_feed.h"

namespace calfvo {

struct ViewServerOptions {
  std::vector<std::filesystem::path> folders;
  int port = 0;              // 0: any that is free
  LiveFeed* live = nullptr;  // a run under way into the only folder; outlives the server
};

// False in a build without cpp-httplib.
bool CanServe();

// Serves from construction to destruction, on threads of its own, on 127.0.0.1 only.
class ViewServer {
 public:
  // Throws Error if a folder holds no run, if the port is taken, if the viewer is missing and where CanServe
  // is false.
  explicit ViewServer(const ViewServerOptions& options);
  ~ViewServer();

  // "http://127.0.0.1:PORT/"
  const std::string& url() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace calfvo
