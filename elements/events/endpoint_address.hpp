// Endpoints as users write them, checked before ZeroMQ sees them: it takes over live ipc paths,
// deletes plain files and wraps port numbers, all without a word.
#pragma once

#include <string>

namespace seesay::elements {

/// Where a socket may be bound.
struct EndpointAddress {
    std::string given;     ///< as the user wrote it, for messages
    std::string bindable;  ///< as ZeroMQ takes it
    std::string path;      ///< of the socket file; empty for tcp and for abstract ipc names
    bool loopback = true;  ///< false: other machines may reach it
};

/// `tcp://HOST:PORT` (HOST: an address or interface of this machine, `localhost` or `*`; PORT: a
/// number, or 0 or `*` for any free one), `ipc://PATH` or `ipc://@NAME`. Throws seesay::Error for
/// anything else.
EndpointAddress parse_bind_endpoint(const std::string& text);

/// Throws seesay::Error if the path of an ipc endpoint belongs to a running program or to a file
/// that is no socket. A socket file that nobody listens on any more is left for ZeroMQ to replace.
void require_free_path(const EndpointAddress& address);

/// The message of a bind that failed with ZeroMQ's error number `error`: the endpoint, the cause,
/// what to do.
std::string bind_problem(const EndpointAddress& address, int error);

/// Checks what a subscriber connects to: `tcp://HOST:PORT` with any host, `ipc://PATH`. Throws
/// seesay::Error.
void require_connect_endpoint(const std::string& text);

}  // namespace seesay::elements
