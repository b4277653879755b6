//! What devices reduce together, and how, in the numbers of NCCL 2 (NCCL User Guide, "Types").

/// What the elements are (`ncclDataType_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[repr(i32)]
pub enum Element {
    I32 = 2,
    I64 = 4,
    F32 = 7,
    F64 = 8,
}

/// What is done with them (`ncclRedOp_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[repr(i32)]
pub enum Reduce {
    Sum = 0,
    Max = 2,
    Min = 3,
}
