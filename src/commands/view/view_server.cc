// SPDX-License-Identifier: Apache-2.0
#include "commands/view/view_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <set>
#include <thread>

#include "calfvo/error.h"
#include "commands/page/page_template.h"
#include "commands/view/viewed_run.h"

namespace calfvo {
namespace {

constexpr const char* kAddress = "127.0.0.1";
// Every open connection takes a thread; event streams take theirs for long.
constexpr size_t kThreads = 48;
constexpr int kMaxListeners = 32;
constexpr std::chrono::milliseconds kHeartbeat{1000};

// Digits only; −1 for anything else.
int64_t Number(const std::string& text) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

void Refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

}  // namespace

bool CanServe() {
  return true;
}

class ViewServer::Impl {
 public:
  explicit Impl(const ViewServerOptions& options) : live_(options.live), page_(ReadPageTemplate()) {
    for (const std::filesystem::path& folder : options.folders) {
      runs_.push_back(std::make_unique<ViewedRun>(folder, live_ != nullptr));
    }
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_payload_max_length(1024);
    server_.set_keep_alive_timeout(2);
    server_.set_read_timeout(5);
    server_.set_write_timeout(5);
    // By default httplib lets other processes listen on the same port.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    AddRoutes();
    Listen(options.port);
  }

  ~Impl() {
    stopping_ = true;
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  const std::string& url() const { return url_; }

 private:
  void Listen(int port) {
    const int bound = port == 0                              ? server_.bind_to_any_port(kAddress)
                      : server_.bind_to_port(kAddress, port) ? port
                                                             : -1;
    if (bound <= 0)
      throw Error(fmt::format("port {}: cannot listen on {}; is it in use? --port 0 takes a free one", port,
                              kAddress));
    hosts_ = {fmt::format("{}:{}", kAddress, bound), fmt::format("localhost:{}", bound)};
    url_ = fmt::format("http://{}:{}/", kAddress, bound);
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    // A server that is stopped before it runs would never end.
    while (!server_.is_running() && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  // Before anything else is looked at.
  bool IsAllowed(const httplib::Request& request) const {
    if (request.get_header_value_count("Host") != 1 || !hosts_.contains(request.get_header_value("Host")))
      return false;
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    return site.empty() || site == "same-origin" || site == "none";
  }

  void AddRoutes() {
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      response.set_header("X-Content-Type-Options", "nosniff");
      response.set_header("Referrer-Policy", "no-referrer");
      response.set_header("Cross-Origin-Resource-Policy", "same-origin");
      response.set_header("Cross-Origin-Opener-Policy", "same-origin");
      response.set_header("Cache-Control", "no-store");
      response.set_header("Content-Security-Policy",
                          request.path == "/" ? page_.ServerPolicy() : "default-src 'none'");
      if (request.method != "GET") {
        Refuse(response, 405, "only GET");
        return httplib::Server::HandlerResponse::Handled;
      }
      if (IsAllowed(request)) return httplib::Server::HandlerResponse::Unhandled;
      Refuse(response, 403, "this server answers pages of its own address only");
      return httplib::Server::HandlerResponse::Handled;
    });
    server_.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr error) {
          try {
            std::rethrow_exception(error);
          } catch (const std::exception& caught) {
            Refuse(response, 500, caught.what());
          }
        });
    server_.Get("/", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(page_.ServerPage(), "text/html; charset=utf-8");
    });
    server_.Get("/api/runs", [this](const httplib::Request&, httplib::Response& response) {
      const bool is_live = live_ != nullptr && !live_->finished();
      SetJson(response, fmt::format(R"({{"runs":{},"live":{}}})", is_live ? 0 : runs_.size(), is_live));
    });
    server_.Get(R"(/api/run/(\d{1,6}))",
                [this](const httplib::Request& request, httplib::Response& response) {
                  if (const auto run = Find(request, response)) SetJson(response, run->DocumentJson());
                });
    server_.Get(R"(/api/frames/(\d{1,6}))",
                [this](const httplib::Request& request, httplib::Response& response) {
                  if (const auto run = Find(request, response)) SetJson(response, run->FramesJson());
                });
    server_.Get(R"(/api/frame/(\d{1,6})/(\d{1,10}))",
                [this](const httplib::Request& request, httplib::Response& response) {
                  const auto run = Find(request, response);
                  if (!run) return;
                  const auto image = run->FrameImage(Number(request.matches[2]));
                  if (image) {
                    response.set_content(image->bytes, image->type);
                  } else {
                    Refuse(response, 404, "this frame cannot be read");
                  }
                });
    server_.Get("/api/events",
                [this](const httplib::Request&, httplib::Response& response) { StreamEvents(response); });
  }

  static void SetJson(httplib::Response& response, const std::string& json) {
    response.set_content(json, "application/json");
  }

  ViewedRun* Find(const httplib::Request& request, httplib::Response& response) {
    const int64_t index = Number(request.matches[1]);
    const bool is_ready = live_ == nullptr || live_->finished();
    if (is_ready && index >= 0 && static_cast<size_t>(index) < runs_.size())
      return runs_[static_cast<size_t>(index)].get();
    Refuse(response, 404, "unknown run");
    return nullptr;
  }

  void StreamEvents(httplib::Response& response) {
    if (live_ == nullptr) return Refuse(response, 404, "no run is under way");
    if (live_->listeners() >= kMaxListeners) return Refuse(response, 503, "too many pages follow this run");
    auto listener =
        std::make_shared<LiveFeed::Listener>(*live_);  // httplib copies the function that holds it
    response.set_chunked_content_provider(
        "text/event-stream", [this, listener](size_t, httplib::DataSink& sink) {
          if (stopping_) return false;
          const std::string text = live_->Next(listener->position, kHeartbeat);
          if (!sink.write(text.data(), text.size())) return false;
          if (listener->position.done) sink.done();
          return true;
        });
  }

  LiveFeed* const live_;
  const PageTemplate page_;
  std::vector<std::unique_ptr<ViewedRun>> runs_;
  std::set<std::string> hosts_;  // that requests may name
  std::string url_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> ended_ = false;
  httplib::Server server_;
  std::thread thread_;
};

ViewServer::ViewServer(const ViewServerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
ViewServer::~ViewServer() = default;

const std::string& ViewServer::url() const {
  return impl_->url();
}

}  // namespace calfvo
