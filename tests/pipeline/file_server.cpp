// Plain sockets; one thread accepts, each connection has one of its own and is closed after one
// answer.
#include "tests/pipeline/file_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "tests/pipeline/film_fixtures.hpp"

namespace seesay::testing {
namespace {

bool send_all(int connection, const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
        const ssize_t now =
            ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (now <= 0) return false;  // the client has seen enough
        sent += static_cast<std::size_t>(now);
    }
    return true;
}

std::string read_request(int connection) {
    std::string request;
    char buffer[1024];
    while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t count = ::recv(connection, buffer, sizeof buffer, 0);
        if (count <= 0) return {};
        request.append(buffer, static_cast<std::size_t>(count));
    }
    return request;
}

}  // namespace

FileServer::FileServer(std::filesystem::path folder) : folder_(std::move(folder)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
        ::close(listener_);
        throw std::runtime_error("the test's HTTP server cannot be started");
    }
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { serve(); });
}

FileServer::~FileServer() {
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);  // wakes accept
    accepting_.join();
    for (std::thread& connection : connections_)
        connection.join();
    ::close(listener_);
}

void FileServer::serve() {
    while (!stopping_) {
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) continue;
        connections_.emplace_back([this, connection] {
            answer(connection);
            ::close(connection);
        });
    }
}

void FileServer::answer(int connection) const {
    const std::string request = read_request(connection);
    const auto begin = request.find('/');
    const auto end = request.find(' ', begin);
    if (end == std::string::npos) {
        return;
    }
    const auto file = folder_ / request.substr(begin + 1, end - begin - 1);
    if (!std::filesystem::is_regular_file(file)) {
        send_all(connection,
                 "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
    }
    const std::string body = read_file(file);
    const bool head_only = request.starts_with("HEAD");
    send_all(connection, "HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + (head_only ? "" : body));
}

}  // namespace seesay::testing
