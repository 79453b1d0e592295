// An HTTP server for tests: the files of a folder on this machine, without ranges.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace seesay::testing {

/// Serves GET and HEAD on a free port of 127.0.0.1 until it is destroyed. Like the simplest
/// servers, it knows no ranges: every answer is a whole file.
class FileServer {
 public:
    explicit FileServer(std::filesystem::path folder);
    FileServer(const FileServer&) = delete;
    FileServer& operator=(const FileServer&) = delete;
    ~FileServer();

    [[nodiscard]] std::string address(const std::string& name) const {
        return "http://127.0.0.1:" + std::to_string(port_) + "/" + name;
    }

 private:
    void serve();
    void answer(int connection) const;

    std::filesystem::path folder_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> stopping_{false};
    std::vector<std::thread> connections_;
    std::thread accepting_;
};

}  // namespace seesay::testing
