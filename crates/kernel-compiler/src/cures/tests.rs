//! What is proposed, as a table.

use super::*;
