// Parsing of endpoints, and the look at what lies under an ipc path.
#include "elements/events/endpoint_address.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <zmq.hpp>

#include "models/error.hpp"

namespace seesay::elements {
namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kIpc = "ipc://";
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

[[noreturn]] void refuse_bind(const std::string& endpoint, const std::string& why) {
    throw Error("cannot publish on \"" + endpoint + "\": " + why);
}

struct HostAndPort {
    std::string host;
    std::string port;
};

std::optional<HostAndPort> split_tcp(std::string_view text) {
    text.remove_prefix(kTcp.size());
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        return std::nullopt;
    }
    return HostAndPort{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

/// -1 if `text` is no port number.
int port_number(const std::string& text) {
    int port = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool whole =
        error == std::errc() && end == text.data() + text.size() && !text.starts_with('-');
    return whole && port <= 65535 ? port : -1;
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "lo" || host == "[::1]" || host.starts_with("127.");
}

bool has_odd_character(const std::string& text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
}

std::string path_too_long(std::size_t length) {
    return "the path has " + std::to_string(length) + " bytes and a socket's may have " +
           std::to_string(kLongestPath) + "; choose a shorter one";
}

/// The error number of connecting to the socket at `path`; 0 if somebody listens there.
int probe(const std::string& path) {
    const int probing = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probing < 0) {
        return errno;
    }
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, path.data(), path.size());
    const int result = ::connect(probing, reinterpret_cast<const sockaddr*>(&name), sizeof(name));
    const int error = result == 0 ? 0 : errno;
    ::close(probing);
    return error;
}

}  // namespace

EndpointAddress parse_bind_endpoint(const std::string& text) {
    EndpointAddress address;
    address.given = address.bindable = text;
    if (text.starts_with(kTcp) && !has_odd_character(text)) {
        const auto parts = split_tcp(text);
        if (!parts) {
            refuse_bind(text, "write it as tcp://HOST:PORT, for example tcp://127.0.0.1:5555");
        }
        if (parts->port != "*" && port_number(parts->port) < 0) {
            refuse_bind(text, "the port must be a number from 0 to 65535, or * for any free one");
        }
        address.loopback = is_loopback(parts->host);
        if (parts->host == "localhost") {  // ZeroMQ resolves no names for a bind
            address.bindable = std::string(kTcp) + "127.0.0.1:" + parts->port;
        }
        return address;
    }
    if (text.starts_with(kIpc) && text.size() > kIpc.size()) {
        const std::string path = text.substr(kIpc.size());
        if (path.size() > kLongestPath) {
            refuse_bind(text, path_too_long(path.size()));
        }
        if (path.find('\0') != std::string::npos) {
            refuse_bind(text, "the path contains a zero byte");
        }
        if (path != "*" && !path.starts_with('@')) {
            address.path = path;
        }
        return address;
    }
    refuse_bind(text,
                "an endpoint is tcp://HOST:PORT or ipc://PATH, for example tcp://127.0.0.1:5555");
}

void require_free_path(const EndpointAddress& address) {
    struct stat entry {};
    if (address.path.empty() || ::lstat(address.path.c_str(), &entry) != 0) {
        return;  // nothing there, or out of reach: binding finds out
    }
    if (!S_ISSOCK(entry.st_mode)) {
        refuse_bind(address.given,
                    "a file or folder is at that path, which is left as it is; remove it or choose "
                    "another path");
    }
    const int error = probe(address.path);
    if (error == ECONNREFUSED) {
        return;  // its program has ended
    }
    if (error == EACCES || error == EPERM) {
        refuse_bind(address.given, "the socket there belongs to another user; choose another path");
    }
    refuse_bind(address.given,
                "another program is using that path; stop it or choose another path");
}

std::string bind_problem(const EndpointAddress& address, int error) {
    std::string why;
    switch (error) {
        case EADDRINUSE:
            why =
                "address already in use; stop the program that uses it or choose another endpoint";
            break;
        case EADDRNOTAVAIL:
        case ENODEV:
            why =
                "this machine has no such address or interface; use one of its own, 127.0.0.1 or *";
            break;
        case EACCES:
        case EPERM:
            why = address.path.empty()
                      ? "permission denied; choose a port above 1023"
                      : "permission denied; choose a folder that may be written to";
            break;
        case ENOENT:
        case ENOTDIR:
            why = "the folder of that path does not exist; make it or choose another path";
            break;
        default:
            why = zmq_strerror(error);
    }
    return "cannot publish on \"" + address.given + "\": " + why;
}

void require_connect_endpoint(const std::string& text) {
    const auto refuse = [&text](const std::string& why) {
        throw Error("cannot connect to \"" + text + "\": " + why);
    };
    if (text.starts_with(kTcp) && !has_odd_character(text)) {
        const auto parts = split_tcp(text);
        if (!parts || parts->host == "*") {
            refuse("write it as tcp://HOST:PORT, for example tcp://127.0.0.1:5555");
        }
        if (port_number(parts->port) < 1) {
            refuse("the port must be a number from 1 to 65535");
        }
        return;
    }
    if (!text.starts_with(kIpc) || text.size() == kIpc.size()) {
        refuse("an endpoint is tcp://HOST:PORT or ipc://PATH, for example tcp://127.0.0.1:5555");
    }
    if (text.size() - kIpc.size() > kLongestPath) {
        refuse(path_too_long(text.size() - kIpc.size()));
    }
}

}  // namespace seesay::elements
