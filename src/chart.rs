//! chart (stub)
