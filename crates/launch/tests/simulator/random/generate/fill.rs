//! From a pattern to instructions: one of each choice, a register or a constant in each place.

use super::super::assembler::loses_its_guard;
use super::super::operations::Pattern;
use super::super::program::CELLS;
use super::Writer;

impl Writer {
    /// Instructions that a pattern stands for, without their semicolons; `None` if there is no register or
    /// cell for it.
    fn fill(&mut self, pattern: &str) -> Option<Vec<String>> {
        let chosen = self.choose(pattern);
        let (chosen, open) = match chosen.strip_suffix('~') {
            Some(chosen) => (chosen, true),
            None => (&chosen[..], false),
        };
        let mut places = Vec::new();
        let mut lines = Vec::new();
        for instruction in chosen.split("; ") {
            let (guard, instruction) = match instruction.strip_prefix("@$0 ") {
                Some(rest) => (format!("@{} ", places.first()?), rest),
                None => (String::new(), instruction),
            };
            let (opcode, operands) = instruction.split_once(' ')?;
            lines.push(format!("{guard}{opcode} {}", self.operands(operands, &mut places)?));
        }
        if open {
            let (ty, nan) = if places.first()?.starts_with("%f") {
                ("f32", "0f7fffffff")
            } else {
                ("f64", "0dfff8000000000000")
            };
            lines.push(format!("setp.nan.{ty} %q, {0}, {0}", places[0]));
            lines.push(format!("@%q mov.{ty} {}, {nan}", places[0]));
        }
        Some(lines)
    }

    /// The pattern with one of each `<…>`.
    fn choose(&mut self, pattern: &str) -> String {
        let mut out = String::new();
        let mut rest = pattern;
        while let Some((before, from)) = rest.split_once('<') {
            let (group, after) = from.split_once('>').unwrap_or((from, ""));
            let separator = if group.contains('|') { '|' } else { ',' };
            let choices: Vec<&str> = group.split(separator).collect();
            out.push_str(before);
            out.push_str(self.random.pick(&choices));
            rest = after;
        }
        out + rest
    }

    fn operands(&mut self, pattern: &str, places: &mut Vec<String>) -> Option<String> {
        let mut out = String::new();
        let mut constant = false;
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '$' | '\'' | '.' | '_');
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(1);
            let (word, after) = rest.split_at(end);
            rest = after;
            if word.len() > 2 || !first.is_ascii_alphabetic() && !word.starts_with('$') {
                out.push_str(word);
                continue;
            }
            if word == "$0" {
                out.push_str(places.first()?);
                continue;
            }
            let place = match first {
                'R' | 'L' | 'H' | 'F' | 'D' | 'P' => {
                    if self.count(first) < word.len() {
                        return None;
                    }
                    loop {
                        let register = self.register(first);
                        if word.len() == 1 || places.last() != Some(&register) {
                            break register;
                        }
                    }
                }
                'r' | 'l' | 'h' | 'f' | 'd' => {
                    let class = first.to_ascii_uppercase();
                    if self.count(class) == 0 {
                        return None;
                    }
                    if !constant && self.random.chance(15) {
                        constant = true;
                        self.constant(class)
                    } else {
                        self.register(class)
                    }
                }
                'p' => {
                    let not = if self.random.chance(30) { "!" } else { "" };
                    format!("{not}{}", self.register('P'))
                }
                'n' | 'k' => {
                    const AMOUNTS: [u32; 20] =
                        [0, 1, 2, 4, 5, 8, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 255, 256];
                    let amounts = if first == 'n' { &AMOUNTS[..] } else { &AMOUNTS[..19] };
                    if self.random.chance(50) {
                        self.register('R')
                    } else {
                        self.random.pick(amounts).to_string()
                    }
                }
                'x' => format!("{:#04x}", self.random.below(256)),
                'i' | 'I' | 'g' | 'G' => self.input(first).to_string(),
                'c' => {
                    if self.cells == CELLS {
                        return None;
                    }
                    self.cells += 1;
                    (8 * (self.cells - 1)).to_string()
                }
                _ => return None,
            };
            out.push_str(&place);
            places.push(place);
        }
        Some(out)
    }

    /// One of the patterns, by their weights. Patterns of other classes than the program has are passed over.
    pub(super) fn operation(&mut self, patterns: &[Pattern], only: &str, may_guard: bool) -> Vec<String> {
        let total: u32 = patterns.iter().map(|(weight, _)| weight).sum();
        loop {
            let mut at = self.random.below(total as usize) as u32;
            let Some((_, pattern)) = patterns.iter().find(|(weight, _)| {
                let found = at < *weight;
                at = at.saturating_sub(*weight);
                found
            }) else {
                continue;
            };
            if !pattern.starts_with(only) {
                continue;
            }
            let Some(mut lines) = self.fill(pattern) else { continue };
            let guarded = may_guard && !pattern.contains("; ") && self.random.chance(12);
            if guarded && !loses_its_guard(&lines[0]) {
                let not = self.random.pick(&["", "!"]);
                lines[0] = format!("@{not}{} {}", self.register('P'), lines[0]);
            }
            return lines.into_iter().map(|line| line + ";").collect();
        }
    }
}
