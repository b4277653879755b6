//! gpu (stub)
