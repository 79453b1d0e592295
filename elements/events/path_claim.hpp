// PathClaim: one program at a time looks at an ipc path and binds it.
#pragma once

#include <string>

namespace seesay::elements {

/// Between finding a path free and binding it, another program could bind it too; ZeroMQ would then
/// take the socket file away from that one without a word. While a claim is held, no other program
/// of ours holds one for a path in the same folder. Waits a second at most and never fails: a
/// folder that cannot be locked only lacks the protection.
class PathClaim {
 public:
    /// Nothing is claimed where `path` is empty.
    explicit PathClaim(const std::string& path);
    ~PathClaim();
    PathClaim(const PathClaim&) = delete;
    PathClaim& operator=(const PathClaim&) = delete;

 private:
    int folder_ = -1;
};

}  // namespace seesay::elements
