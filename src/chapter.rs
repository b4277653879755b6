//! chapter (stub)
