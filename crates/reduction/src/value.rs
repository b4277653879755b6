//! A kernel's result, a number or an array of any type, and what it should have been.

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

/// An array of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Of 32-bit integers.
    I32(Vec<i32>),
    /// Of 64-bit integers.
    I64(Vec<i64>),
    /// Of 32-bit floats.
    F32(Vec<f32>),
    /// Of 64-bit floats.
    F64(Vec<f64>),
}

impl Array {
    /// How many numbers it has.
    pub fn len(&self) -> usize {
        match self {
            Array::I32(numbers) => numbers.len(),
            Array::I64(numbers) => numbers.len(),
            Array::F32(numbers) => numbers.len(),
            Array::F64(numbers) => numbers.len(),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number with this index, if there is one.
    pub fn get(&self, index: usize) -> Option<Value> {
        Some(match self {
            Array::I32(numbers) => Value::from(*numbers.get(index)?),
            Array::I64(numbers) => Value::from(*numbers.get(index)?),
            Array::F32(numbers) => Value::from(*numbers.get(index)?),
            Array::F64(numbers) => Value::from(*numbers.get(index)?),
        })
    }
}

/// What a kernel gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// One value.
    One(Value),
    /// A value per element of its output.
    Many(Array),
}

impl Answer {
    /// What a table and a record hold of it: the value; of an array its length and its last element.
    pub fn shown(&self) -> Value {
        match self {
            Answer::One(value) => value.clone(),
            Answer::Many(array) => {
                let length = thousands(array.len() as i64);
                let last = array.len().checked_sub(1).and_then(|index| array.get(index));
                Value::Text(match (last, array.len()) {
                    (None, _) => "no elements".to_string(),
                    (Some(last), 1) => format!("1 element, {last}"),
                    (Some(last), _) => format!("{length} elements … {last}"),
                })
            }
        }
    }
}

impl<T: Into<Value>> From<T> for Answer {
    fn from(value: T) -> Answer {
        Answer::One(value.into())
    }
}

impl From<Array> for Answer {
    fn from(array: Array) -> Answer {
        Answer::Many(array)
    }
}

/// Where an answer is not the right one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The index of the first wrong element.
    pub element: u64,
    /// What it is; none if the array ends before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Value>,
    /// What it should be; none if the array should end before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// How many elements are wrong.
    pub wrong: u64,
    /// How many there should be.
    pub of: u64,
}

/// `element 5 is 7, and should be 12; 3 of 1,024 elements are wrong`
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { element, is, expected, wrong, of } = self;
        let element = thousands(*element as i64);
        match (is, expected) {
            (Some(is), Some(expected)) => write!(f, "element {element} is {is}, and should be {expected}")?,
            (None, Some(expected)) => write!(f, "element {element} is missing, and should be {expected}")?,
            (_, None) => write!(f, "there are more than {of} elements")?,
        }
        write!(f, "; {} of {} elements are wrong", thousands(*wrong as i64), thousands(*of as i64))
    }
}

/// What the serial recursion says, and how far from it a right answer may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The right answer, or the middle of the right answers.
    pub answer: Answer,
    /// The largest absolute error of a right value; `None` where it must be equal.
    pub bound: Option<f64>,
}

/// Whether `value` is `expected`, or at most `bound` away from it.
pub fn agrees(value: &Value, expected: &Value, bound: Option<f64>) -> bool {
    match (bound, expected, value) {
        (Some(bound), Value::Float(expected), Value::Float(value)) => (value - expected).abs() <= bound,
        _ => value == expected,
    }
}

impl Expected {
    /// A right answer is this very value.
    pub fn exactly(answer: impl Into<Answer>) -> Expected {
        Expected { answer: answer.into(), bound: None }
    }

    /// A right answer is at most `bound` away from `value`.
    pub fn within(value: f64, bound: f64) -> Expected {
        Expected { answer: value.into(), bound: Some(bound.min(f64::MAX)) } // JSON has no infinity
    }

    /// The same value with `times` the bound, if it has one.
    pub fn widened(&self, times: f64) -> Expected {
        Expected { answer: self.answer.clone(), bound: self.bound.map(|bound| bound * times) }
    }

    /// Whether `answer` is a right one: equal, or within the bound; an array element by element.
    pub fn admits(&self, answer: &Answer) -> bool {
        match (answer, &self.answer) {
            (Answer::One(value), Answer::One(expected)) => agrees(value, expected, self.bound),
            (Answer::Many(_), Answer::Many(_)) => self.difference(answer).is_none(),
            _ => false,
        }
    }

    /// Where the array `answer` is not the right one; `None` if it is, or if one value is asked for.
    pub fn difference(&self, answer: &Answer) -> Option<Difference> {
        let (Answer::Many(array), Answer::Many(expected)) = (answer, &self.answer) else { return None };
        let mut first = None;
        let mut wrong = 0;
        for element in 0..array.len().max(expected.len()) {
            let is = array.get(element);
            let should = expected.get(element);
            let is_right = match (&is, &should) {
                (Some(is), Some(should)) => agrees(is, should, self.bound),
                _ => false,
            };
            if !is_right {
                wrong += 1;
                first = first.or(Some((element, is, should)));
            }
        }
        let (element, is, should) = first?;
        let of = expected.len() as u64;
        Some(Difference { element: element as u64, is, expected: should, wrong, of })
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

    #[test]
    fn an_array_is_compared_element_by_element() {
        let expected = Expected::exactly(Array::I32(vec![1, 3, 6, 10]));
        let said = |numbers: Vec<i32>| {
            let answer = Answer::from(Array::I32(numbers));
            let difference = expected.difference(&answer);
            assert_eq!(difference.is_none(), expected.admits(&answer));
            difference.map(|difference| difference.to_string()).unwrap_or_default()
        };
        assert_eq!(said(vec![1, 3, 6, 10]), "");
        let wrong = "element 0 is 7, and should be 1; 4 of 4 elements are wrong";
        assert_eq!(said(vec![7, 7, 7, 7]), wrong);
        assert_eq!(said(vec![1, 3, 7, 10]), "element 2 is 7, and should be 6; 1 of 4 elements are wrong");
        assert_eq!(said(vec![1, 3]), "element 2 is missing, and should be 6; 2 of 4 elements are wrong");
        assert_eq!(said(vec![1, 3, 6, 10, 15]), "there are more than 4 elements; 1 of 4 elements are wrong");
        assert!(!expected.admits(&10.into()), "the last one is not all");
        assert_eq!(expected.answer.shown(), Value::Text("4 elements … 10".into()));
        let near = Expected { answer: Array::F32(vec![0.5, 1.0]).into(), bound: Some(0.1) };
        assert!(near.admits(&Array::F32(vec![0.55, 1.0]).into()));
        assert!(!near.admits(&Array::F32(vec![0.5, 1.2]).into()));
    }
}
