// Carries the precompiled LibTorch header that the other folders reuse.
