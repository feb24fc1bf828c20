//! Chooses what is asserted: conditions that hold for everything that was observed, and for programs that should fail one that
//! does not.

use crate::Random;

use super::builder::{Check, Claim, Kind, Scene, literal};

/// What was seen of a check in one run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Number(i64),
    Text(Vec<u8>),
}

/// A condition about the value of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Equal(i64),
    Different(i64),
    AtLeast(i64),
    AtMost(i64),
    Between(i64, i64),
    OneOf(Vec<Vec<u8>>),
    IsNot(Vec<u8>),
    AsItIs,
    IsFalse,
}

/// An assertion of a program.
#[derive(Clone, Debug)]
pub(crate) struct Assertion {
    /// The scene that it belongs to.
    pub(crate) scene: usize,
    /// The number of the check, over all scenes.
    pub(crate) check: usize,
    /// The claim, if it is about the world.
    pub(crate) claim: Option<Claim>,
    /// The condition in C.
    pub(crate) text: String,
    /// Its negation in C.
    pub(crate) failure: String,
    condition: Condition,
}

impl Assertion {
    /// Whether it holds for an observed value.
    pub(crate) fn holds(&self, value: &Value) -> bool {
        match (&self.condition, value) {
            (Condition::Equal(wanted), Value::Number(number)) => number == wanted,
            (Condition::Different(other), Value::Number(number)) => number != other,
            (Condition::AtLeast(low), Value::Number(number)) => number >= low,
            (Condition::AtMost(high), Value::Number(number)) => number <= high,
            (Condition::Between(low, high), Value::Number(number)) => (low..=high).contains(&number),
            (Condition::OneOf(texts), Value::Text(text)) => texts.contains(text),
            (Condition::IsNot(other), Value::Text(text)) => text != other,
            (Condition::AsItIs, Value::Number(number)) => *number != 0,
            (Condition::IsFalse, Value::Number(number)) => *number == 0,
            _ => false,
        }
    }
}

/// The verdict that a program is meant to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Safe,
    Unsafe,
}

/// The assertions of a program: one or two for each scene. `observed` has the values of all checks of all scenes in order.
pub(crate) fn choose(
    scenes: &[Scene],
    observed: &[Vec<Value>],
    wish: Wish,
    random: &mut Random,
) -> Vec<Assertion> {
    let mut assertions = Vec::new();
    let mut number = 0;
    // The scene whose assertion is to fail.
    let failing = if wish == Wish::Unsafe { random.below(scenes.len()) } else { usize::MAX };
    for (index, scene) in scenes.iter().enumerate() {
        let wish = if index == failing { Wish::Unsafe } else { Wish::Safe };
        let fits = |check: &Check| match check.kind {
            Kind::Claim(Claim::Always) => wish == Wish::Safe,
            Kind::Claim(Claim::MayFail) => wish == Wish::Unsafe,
            _ => true,
        };
        let mut usable: Vec<usize> = (0..scene.checks.len()).filter(|&at| fits(&scene.checks[at])).collect();
        random.shuffle(&mut usable);
        let count = if random.chance(40) { 2 } else { 1 };
        let mut made = 0;
        for &at in &usable {
            // One failing assertion is enough.
            let wish = if made == 0 { wish } else { Wish::Safe };
            let check = &scene.checks[at];
            if made == count || made > 0 && matches!(check.kind, Kind::Claim(Claim::MayFail | Claim::Open)) {
                continue;
            }
            if let Some(chosen) = assertion(check, index, number + at, &observed[number + at], wish, random) {
                assertions.push(chosen);
                made += 1;
            }
        }
        number += scene.checks.len();
    }
    assertions
}

fn assertion(
    check: &Check,
    scene: usize,
    number: usize,
    values: &[Value],
    wish: Wish,
    random: &mut Random,
) -> Option<Assertion> {
    let condition = match check.kind {
        Kind::Claim(_) => Condition::AsItIs,
        Kind::Text => about_text(values, wish, random)?,
        Kind::Truth => {
            let always = values.iter().all(|value| *value != Value::Number(0));
            let never = values.iter().all(|value| *value == Value::Number(0));
            match (wish, always, never) {
                (Wish::Safe, true, _) | (Wish::Unsafe, false, _) => Condition::AsItIs,
                (Wish::Safe, _, true) | (Wish::Unsafe, true, _) => Condition::IsFalse,
                (Wish::Safe, false, false) => return None,
            }
        }
        Kind::Number => about_number(values, wish, random)?,
    };
    let claim = if let Kind::Claim(claim) = check.kind { Some(claim) } else { None };
    let (text, failure) = words(&check.expression, &condition);
    Some(Assertion { scene, check: number, claim, text, failure, condition })
}

/// A condition that holds for all values, or fails for some.
fn about_number(values: &[Value], wish: Wish, random: &mut Random) -> Option<Condition> {
    let numbers: Vec<i64> =
        values.iter().filter_map(|v| if let Value::Number(n) = v { Some(*n) } else { None }).collect();
    let (low, high) = (*numbers.iter().min()?, *numbers.iter().max()?);
    let near = |random: &mut Random, value: i64| {
        let away = random.between(1, 3);
        value.saturating_add(if random.chance(50) { away } else { -away })
    };
    let some = *random.pick(&numbers);
    Some(match (wish, random.below(5)) {
        (Wish::Safe, 0) => Condition::AtLeast(low),
        (Wish::Safe, 1) => Condition::AtMost(high),
        (Wish::Safe, 2) => {
            let other = near(random, some);
            if numbers.contains(&other) { Condition::Between(low, high) } else { Condition::Different(other) }
        }
        (Wish::Safe, _) if low == high => Condition::Equal(low),
        (Wish::Safe, _) => Condition::Between(low, high),
        (Wish::Unsafe, 0) => Condition::AtLeast(low.saturating_add(1)),
        // An unsigned expression is never less than 0.
        (Wish::Unsafe, 1) if high != 0 => Condition::AtMost(high.saturating_sub(1)),
        (Wish::Unsafe, 2) => Condition::Equal(near(random, some)),
        (Wish::Unsafe, _) if low == high => Condition::Different(low),
        (Wish::Unsafe, _) => Condition::Equal(some),
    })
}

fn about_text(values: &[Value], wish: Wish, random: &mut Random) -> Option<Condition> {
    let mut texts: Vec<Vec<u8>> =
        values.iter().filter_map(|v| if let Value::Text(t) = v { Some(t.clone()) } else { None }).collect();
    texts.sort();
    texts.dedup();
    if texts.is_empty() {
        return None;
    }
    let some = random.pick(&texts).clone();
    let mut other = some.clone();
    if random.chance(50) || other.is_empty() {
        other.push(b'0');
    } else {
        other.pop();
    }
    Some(match wish {
        Wish::Safe if texts.len() <= 3 && random.chance(75) => Condition::OneOf(texts),
        Wish::Safe if texts.contains(&other) => return None,
        Wish::Safe => Condition::IsNot(other),
        Wish::Unsafe if texts.len() > 1 && random.chance(50) => Condition::OneOf(vec![some]),
        Wish::Unsafe if random.chance(50) => Condition::OneOf(vec![other]),
        Wish::Unsafe => Condition::IsNot(some),
    })
}

/// A condition and its negation in C.
fn words(expression: &str, condition: &Condition) -> (String, String) {
    // Comparisons bind more than `?:` and logical operators, less than arithmetic.
    let operand =
        if expression.contains(['?', '=', '&']) { format!("({expression})") } else { expression.to_owned() };
    let compared = |operator: &str, value: i64| format!("{operand} {operator} {}", number(value));
    let is_text =
        |operator: &str, text: &[u8]| format!("strcmp({expression}, {}) {operator} 0", literal(text));
    match condition {
        Condition::Equal(value) => (compared("==", *value), compared("!=", *value)),
        Condition::Different(value) => (compared("!=", *value), compared("==", *value)),
        Condition::AtLeast(low) => (compared(">=", *low), compared("<", *low)),
        Condition::AtMost(high) => (compared("<=", *high), compared(">", *high)),
        Condition::Between(low, high) => (
            format!("{} && {}", compared(">=", *low), compared("<=", *high)),
            format!("{} || {}", compared("<", *low), compared(">", *high)),
        ),
        Condition::OneOf(texts) => {
            let all = |operator: &str, word: &str| {
                texts.iter().map(|text| is_text(operator, text)).collect::<Vec<_>>().join(word)
            };
            (all("==", " || "), all("!=", " && "))
        }
        Condition::IsNot(text) => (is_text("!=", text), is_text("==", text)),
        Condition::AsItIs => (expression.to_owned(), format!("!({expression})")),
        Condition::IsFalse => (format!("!({expression})"), expression.to_owned()),
    }
}

/// A C constant.
fn number(value: i64) -> String {
    if i32::try_from(value).is_ok() && value != i64::from(i32::MIN) {
        value.to_string()
    } else if value == i64::MIN {
        "(-9223372036854775807L - 1)".to_owned()
    } else {
        format!("{value}L")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_as_wished() {
        let mut random = Random::new(5);
        for (kind, values) in [
            (Kind::Number, vec![Value::Number(3), Value::Number(7)]),
            (Kind::Number, vec![Value::Number(-1)]),
            (Kind::Truth, vec![Value::Number(0)]),
            (Kind::Text, vec![Value::Text(b"ab".to_vec()), Value::Text(b"abc".to_vec())]),
        ] {
            let check = Check { expression: "e".to_owned(), kind };
            for _ in 0..50 {
                let safe = assertion(&check, 0, 0, &values, Wish::Safe, &mut random);
                assert!(safe.is_none_or(|safe| values.iter().all(|value| safe.holds(value))));
                let failing = assertion(&check, 0, 0, &values, Wish::Unsafe, &mut random).unwrap();
                assert!(!values.iter().all(|value| failing.holds(value)), "{failing:?}");
            }
        }
    }
}
