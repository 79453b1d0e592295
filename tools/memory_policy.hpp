// How the process keeps memory that video work frees again and again.
#pragma once

namespace seesay::tools {

/// For commands that run films and streams, possibly for months: large blocks (frames) go back to
/// the system when they are freed, and threads share few heaps, so that resident memory follows
/// what is in use instead of its history. Call before the first thread starts. Not for training,
/// whose tensors come and go too often. What the user has set (MALLOC_ARENA_MAX and the like)
/// stays. Does nothing where the C library is not glibc.
void set_memory_policy_for_video();

}  // namespace seesay::tools
