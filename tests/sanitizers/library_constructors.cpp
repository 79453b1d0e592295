// Under AddressSanitizer, what constructors of shared libraries allocate is no leak: GLib gives its
// first table of quarks up when it grows, on purpose, and its stacks cannot be unwound quickly
// enough to suppress that by name.
#include <sanitizer/lsan_interface.h>

namespace {

void before_library_constructors(int, char**, char**) {
    __lsan_disable();
}

// Programs' own constructors run after those of the libraries that they are linked with.
[[gnu::constructor(101)]] void after_library_constructors() {
    __lsan_enable();
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const hook)(int, char**, char**) = before_library_constructors;

}  // namespace
