// SPDX-License-Identifier: Apache-2.0
#include "commands/view/view_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "commands/page/test_run.h"
#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A connection of plain sockets, so that requests may be as wrong as they like.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Send(const std::string& text) {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // All until the server closes, or until `end` has come.
  std::string Receive(const std::string& end = "") {
    std::string text;
    char buffer[4096];
    while (end.empty() || text.find(end) == std::string::npos) {
      const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      text.append(buffer, static_cast<size_t>(count));
    }
    return text;
  }

 private:
  const int socket_;
};

class ViewServerTest : public testing::Test {
 protected:
  ViewServerTest() : viewer_("CALFVO_VIEWER", (folder_.path() / "viewer.html").string()) {
    WriteText(folder_.path() / "viewer.html", kTestTemplate);
    WriteTestRun(Run(0), R"({"input":"-"})");
    WriteTestRun(Run(1), R"({"input":"-"})");
  }
  std::filesystem::path Run(int i) const { return folder_.path() / ("run" + std::to_string(i)); }

  static int Port(const ViewServer& server) {
    return std::stoi(server.url().substr(std::string("http://127.0.0.1:").size()));
  }
  static std::string Ask(const ViewServer& server, const std::string& path, const std::string& host = "",
                         const std::string& more = "") {
    Connection connection(Port(server));
    connection.Send("GET " + path + " HTTP/1.1\r\nHost: " +
                    (host.empty() ? "127.0.0.1:" + std::to_string(Port(server)) : host) + "\r\n" + more +
                    "Connection: close\r\n\r\n");
    return connection.Receive();
  }

  const TempFolder folder_;
  const ScopedEnvironment viewer_;
};

TEST_F(ViewServerTest, ServesThePageAndSeveralRuns) {
  const ViewServer server({.folders = {Run(0), Run(1)}});
  const std::string page = Ask(server, "/");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(
      page,
      HasSubstr("Content-Security-Policy: default-src 'none'; connect-src 'self'; frame-ancestors 'none'"));
  EXPECT_THAT(page, HasSubstr("X-Content-Type-Options: nosniff"));
  EXPECT_THAT(Ask(server, "/api/runs"), HasSubstr(R"({"runs":2,"live":false})"));
  EXPECT_THAT(Ask(server, "/api/run/1"), HasSubstr(R"("title":"run1")"));
  EXPECT_THAT(Ask(server, "/api/frames/0"), HasSubstr("null"));
  EXPECT_THAT(Ask(server, "/", "localhost:" + std::to_string(Port(server))), StartsWith("HTTP/1.1 200"));
}

TEST_F(ViewServerTest, NothingElseCanBeReached) {
  const ViewServer server({.folders = {Run(0)}});
  for (const char* path : {"/api/run/1", "/api/run/-1", "/api/run/0/../../..", "/../../etc/passwd",
                           "/..%2f..%2fetc/passwd", "/api/frame/0/0", "/api/frame/0/99999999999999999999",
                           "/run0/run.json", "/api/events", "/api/run/%00", "//"}) {
    EXPECT_THAT(Ask(server, path), Not(StartsWith("HTTP/1.1 200"))) << path;
  }
  Connection post(Port(server));
  post.Send("POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(Port(server)) +
            "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(post.Receive(), StartsWith("HTTP/1.1 405"));
}

TEST_F(ViewServerTest, OtherHostsAndSitesAreRefused) {
  const ViewServer server({.folders = {Run(0)}});
  const std::string port = std::to_string(Port(server));
  for (const std::string& host : {std::string("example.org"), "example.org:" + port, std::string("127.0.0.1"),
                                  "127.0.0.1.example.org:" + port, "127.0.0.1:" + port + ", example.org"}) {
    EXPECT_THAT(Ask(server, "/api/run/0", host), StartsWith("HTTP/1.1 403")) << host;
  }
  EXPECT_THAT(Ask(server, "/api/run/0", "", "Sec-Fetch-Site: cross-site\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Ask(server, "/api/run/0", "", "Sec-Fetch-Site: same-origin\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask(server, "/api/run/0", "", "Host: example.org\r\n"), StartsWith("HTTP/1.1 403"));
  Connection without(Port(server));
  without.Send("GET /api/run/0 HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(without.Receive(), StartsWith("HTTP/1.1 403"));
}

TEST_F(ViewServerTest, ListensOnLoopbackOnly) {
  const ViewServer server({.folders = {Run(0)}});
  EXPECT_THAT(server.url(), StartsWith("http://127.0.0.1:"));
  // 127.0.0.2 is this machine too, but another address.
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(Port(server)));
  ::inet_pton(AF_INET, "127.0.0.2", &address.sin_addr);
  EXPECT_NE(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(socket);
}

TEST_F(ViewServerTest, ClosedTabsAndManyTabsDoNoHarm) {
  LiveFeed feed;
  const ViewServer server({.folders = {Run(0)}, .live = &feed});
  EXPECT_THAT(Ask(server, "/api/runs"), HasSubstr(R"({"runs":0,"live":true})"));
  EXPECT_THAT(Ask(server, "/api/run/0"), StartsWith("HTTP/1.1 404"));
  feed.Start("x", true, 100);
  const std::string request =
      "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(Port(server)) + "\r\n\r\n";
  {
    std::vector<std::unique_ptr<Connection>> tabs;
    for (int i = 0; i < 20; ++i) {
      tabs.push_back(std::make_unique<Connection>(Port(server)));
      tabs.back()->Send(request);
      EXPECT_THAT(tabs.back()->Receive("event: start"), HasSubstr("text/event-stream"));
    }
    EXPECT_THAT(Ask(server, "/"), StartsWith("HTTP/1.1 200"));
  }  // all close mid-stream
  for (int i = 0; i < 50; ++i) feed.AddPose({.timestamp_ns = i, .frame = i});
  for (int i = 0; i < 100 && feed.listeners() > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(feed.listeners(), 0);
  Connection tab(Port(server));
  tab.Send(request);
  EXPECT_THAT(tab.Receive("\"frames\":50"), HasSubstr("event: poses"));
  feed.Finish("");
  EXPECT_THAT(tab.Receive("event: done"), HasSubstr("event: done"));
  EXPECT_THAT(Ask(server, "/api/run/0"), StartsWith("HTTP/1.1 200"));
}

TEST_F(ViewServerTest, WrongFoldersAndPortsAreErrors) {
  EXPECT_THAT(ErrorFrom([&] { ViewServer({.folders = {folder_.path()}}); }),
              HasSubstr("holds no valid run.json"));
  const ViewServer first({.folders = {Run(0)}});
  EXPECT_THAT(ErrorFrom([&] { ViewServer({.folders = {Run(0)}, .port = Port(first)}); }),
              HasSubstr("cannot listen"));
}

}  // namespace
}  // namespace calfvo
