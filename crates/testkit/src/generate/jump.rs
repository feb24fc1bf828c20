//! `switch` and `goto`, also into blocks.
//!
//! # Invariants
//! * I1: no jump enters the scope of a declaration: what it skips is enclosed in braces of its own.
//! * I2: a backward jump is guarded by a counter nothing else writes.

use super::Generator;
use super::LoopState;
use super::integer::{Int, Range};
use super::types::Type;
use super::value::Expr;

impl Generator {
    /// What to switch on, often with few values.
    fn scrutinee(&mut self) -> Expr {
        let enums = self.visible(|variable| matches!(variable.ty, Type::Enum(_)));
        if !enums.is_empty() && self.random.chance(20) {
            let id = *self.random.pick(&enums);
            let place = self.variable_place(id);
            return self.value_of(&place);
        }
        let mut value = self.expression(2);
        if matches!(value.ty, Int::Int128 | Int::Unsigned128) {
            value = self.cast(value, Int::Int);
        }
        if self.random.chance(75) {
            let high = self.random.between(2, 9);
            value = self.coerce(value, Range::new(0, i128::from(high)));
        }
        value
    }

    pub(super) fn switch_statement(&mut self) {
        let value = self.scrutinee();
        self.output.line(format!("switch ({}) {{", value.text.text));
        let outer = self.state.loops;
        self.state.loops = if outer == LoopState::Both { LoopState::Both } else { LoopState::BreakOnly };
        let cases = 1 + self.random.below(5);
        let default = self.random.below(cases + 2);
        let mut next = self.random.between(-1, 1);
        for index in 0..=cases {
            if index == default {
                self.output.line("default:");
                self.case_body();
            }
            if index == cases {
                break;
            }
            let last = next + self.random.between(1, 3);
            let label = match self.random.below(8) {
                0 if next >= 0 => format!("case {next} ... {last}:"),
                1 if next >= 0 => format!("case {next}: case {last}:"),
                _ => format!("case {next}:"),
            };
            let label = if self.random.chance(5) { label.replace("case ", "case (char)") } else { label };
            self.output.line(label.replace("(char)-", "-"));
            self.case_body();
            next = last + self.random.between(1, 2);
        }
        self.state.loops = outer;
        self.output.line("}");
    }

    fn case_body(&mut self) {
        self.output.indent += 1;
        match self.random.below(6) {
            // Nothing: the label shares the next body. A label needs a statement at the end of a block.
            0 => self.output.line(";"),
            1..=3 => self.block("", 1),
            _ => match self.writable() {
                Some(place) => {
                    let statement = self.assignment(&place, 2);
                    self.output.line(format!("{};", statement.text.text));
                }
                None => self.output.line(";"),
            },
        }
        if self.random.chance(70) {
            self.output.line("break;");
        }
        self.output.indent -= 1;
    }

    pub(super) fn jump_statement(&mut self) {
        match self.random.below(5) {
            0 => self.forward_goto(),
            1 => self.backward_goto(),
            2 => self.exit_label(),
            3 => self.goto_into_loop(),
            _ => self.switch_into_loop(),
        }
    }

    fn forward_goto(&mut self) {
        let label = self.fresh("L");
        let condition = self.condition(2).text.text;
        self.output.line(format!("if ({condition}) goto {label};"));
        self.block("", 2);
        self.output.line(format!("{label}: ;"));
    }

    fn backward_goto(&mut self) {
        let (label, counter) = (self.fresh("L"), self.fresh("i"));
        let trips = self.random.between(1, 4);
        if self.state.multiplier > 100 {
            return self.forward_goto();
        }
        self.output.line(format!("int {counter} = 0;"));
        self.output.line(format!("{label}:"));
        let outer = (self.state.loops, self.state.multiplier);
        self.state.multiplier *= trips as u64 + 1;
        self.block("", 2);
        let condition = self.condition(1);
        (self.state.loops, self.state.multiplier) = outer;
        let condition = condition.at(super::value::level::LOGICAL_AND);
        self.output.line(format!("if (++{counter} <= {trips} && {condition}) goto {label};"));
    }

    /// A label behind a block, which the block may jump to from any depth.
    fn exit_label(&mut self) {
        let label = self.fresh("L");
        self.state.exits.push(label.clone());
        let loops = self.random.chance(60);
        self.output.line("{");
        self.enclosed(|generator| {
            if loops {
                generator.loop_statement();
            } else {
                generator.if_statement();
            }
            generator.statement();
        });
        self.output.line("}");
        self.state.exits.pop();
        self.output.line(format!("{label}: ;"));
    }

    /// Enters a loop in the middle of its body; the counter is set before the jump.
    fn goto_into_loop(&mut self) {
        let (label, counter) = (self.fresh("L"), self.fresh("i"));
        let trips = self.random.between(1, 5);
        if self.state.multiplier > 100 {
            return self.forward_goto();
        }
        let condition = self.condition(2).text.text;
        let start = self.random.between(0, trips - 1);
        self.output.line(format!("int {counter} = {start};"));
        self.output.line(format!("if ({condition}) goto {label};"));
        self.output.line(format!("for ({counter} = 0; {counter} < {trips}; {counter}++) {{"));
        self.output.indent += 1;
        let outer = (self.state.loops, self.state.multiplier);
        self.state.multiplier *= trips as u64;
        self.state.loops = LoopState::Both;
        self.block("", 1);
        self.output.line(format!("{label}:"));
        self.block("", 1);
        (self.state.loops, self.state.multiplier) = outer;
        self.output.indent -= 1;
        self.output.line("}");
    }

    /// Duff's device: case labels inside the body of a loop.
    fn switch_into_loop(&mut self) {
        if self.state.multiplier > 100 {
            return self.forward_goto();
        }
        let counter = self.fresh("i");
        let trips = self.random.between(1, 3);
        self.output.line(format!("int {counter} = {trips};"));
        let value = self.expression(1);
        let value = self.coerce(value, Range::new(0, 3));
        self.output.line(format!("switch ({}) {{", value.text.text));
        self.output.line("case 0: do {");
        self.output.indent += 1;
        let outer = (self.state.loops, self.state.multiplier);
        self.state.multiplier *= trips as u64;
        self.state.loops = LoopState::Both;
        for case in [0, 3, 2, 1] {
            if case != 0 {
                self.output.line(format!("case {case}:"));
            }
            self.block("", 1);
        }
        (self.state.loops, self.state.multiplier) = outer;
        self.output.indent -= 1;
        self.output.line(format!("}} while (--{counter} > 0);"));
        self.output.line("}");
    }
}
