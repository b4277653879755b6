//! What a reduction gives, of whatever type, and what it should have given.

use std::fmt;

use serde::{Deserialize, Serialize};
use text::number::{nine_digits, thousands};

/// The result of a reduction. In JSON a number; a string where no number will do: a pair, a matrix, a float
/// that is not finite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// An integer of at most 64 bits.
    Int(i64),
    /// A finite float; an `f32` is widened without error.
    Float(f64),
    /// What no JSON number can hold.
    Text(String),
}

impl Default for Value {
    fn default() -> Value {
        Value::Int(0)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::Int(value.into())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        if value.is_finite() { Value::Float(value) } else { Value::Text(value.to_string()) }
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Value {
        f64::from(value).into()
    }
}

/// `-1,234,567`; a float with up to nine significant digits, as many as tell two `f32` apart.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => f.write_str(&thousands(*value)),
            Value::Float(value) => f.write_str(&nine_digits(*value)),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// What the serial recursion says, and how far from it a right answer may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The right answer, or the middle of the right answers.
    pub value: Value,
    /// The largest absolute error of a right answer; `None` where it must be equal.
    pub bound: Option<f64>,
}

impl Expected {
    /// A right answer is this very value.
    pub fn exactly(value: impl Into<Value>) -> Expected {
        Expected { value: value.into(), bound: None }
    }

    /// A right answer is at most `bound` away from `value`.
    pub fn within(value: f64, bound: f64) -> Expected {
        Expected { value: value.into(), bound: Some(bound.min(f64::MAX)) } // JSON has no infinity
    }

    /// The same value with `times` the bound, if it has one.
    pub fn widened(&self, times: f64) -> Expected {
        Expected { value: self.value.clone(), bound: self.bound.map(|bound| bound * times) }
    }

    /// Whether `value` is a right answer: equal, or within the bound.
    pub fn admits(&self, value: &Value) -> bool {
        match (self.bound, &self.value, value) {
            (Some(bound), Value::Float(expected), Value::Float(value)) => (value - expected).abs() <= bound,
            _ => *value == self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_in_json_where_they_can_be() {
        for (value, json) in [
            (Value::from(-7), "-7"),
            (Value::from(i64::MIN), "-9223372036854775808"),
            (Value::from(3.0), "3.0"),
            (Value::from(0.1f32), "0.10000000149011612"),
            (Value::from(f64::NAN), "\"NaN\""),
            (Value::from(f32::NEG_INFINITY), "\"-inf\""),
            (Value::Text("7 at 3".into()), "\"7 at 3\""),
        ] {
            assert_eq!(serde_json::to_string(&value).unwrap(), json);
            assert_eq!(serde_json::from_str::<Value>(json).unwrap(), value, "{json}");
        }
    }

    #[test]
    fn a_bound_admits_what_is_near_and_no_more() {
        let near = Expected::within(10.0, 0.5);
        assert!(near.admits(&10.5.into()) && near.admits(&9.5.into()));
        assert!(!near.admits(&10.6.into()) && !near.admits(&f64::NAN.into()) && !near.admits(&10.into()));
        let wide = near.widened(3.0);
        assert!(wide.admits(&11.5.into()) && !wide.admits(&11.6.into()));
        assert_eq!(Expected::exactly(3).widened(3.0), Expected::exactly(3));
        assert!(Expected::exactly(3).admits(&3.into()) && !Expected::exactly(3).admits(&4.into()));
        assert!(Expected::exactly(f64::NAN).admits(&f64::NAN.into()), "a sum that is not a number");
    }
}
