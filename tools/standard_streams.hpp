// The three standard streams: there from the beginning, and known to be written at the end.
#pragma once

namespace seesay::tools {

/// Opens /dev/null in the place of standard streams that are closed (else the next file that is
/// opened takes the number, and captions are printed into it), and lets a reader that goes away be
/// an error like a full disk, not a signal that ends the process in the middle of a file.
void prepare_standard_streams();

/// Flushes standard output. Throws seesay::Error if anything printed there was lost.
void require_standard_output();

}  // namespace seesay::tools
