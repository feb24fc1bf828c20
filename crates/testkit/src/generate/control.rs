//! Branches and loops.
//!
//! # Invariants
//! * I1: a loop counter is frozen in the body, so the trip count is the one computed here.

use super::Generator;
use super::effects::VarId;
use super::integer::{Int, Range};
use super::scope::{Qualifier, Storage, Variable};
use super::types::Type;
use super::{LoopState, value::level};

/// Most executions of a statement in one call of a function.
const MAX_REPEATS: u64 = 600;

impl Generator {
    pub(super) fn if_statement(&mut self) {
        let condition = self.condition(3).text.text;
        if self.random.chance(20) {
            // Without braces: an else belongs to the nearest if.
            self.output.line(format!("if ({condition})"));
            self.nested_simple();
            if self.random.chance(50) {
                self.output.line("else");
                self.nested_simple();
            }
            return;
        }
        let count = 1 + self.random.below(3);
        self.block(&format!("if ({condition})"), count);
        if self.random.chance(20) {
            let condition = self.condition(2).text.text;
            self.block(&format!("else if ({condition})"), 1);
        }
        if self.random.chance(50) {
            let count = 1 + self.random.below(2);
            self.block("else", count);
        }
    }

    /// One indented statement that needs no braces.
    fn nested_simple(&mut self) {
        self.output.indent += 1;
        match self.writable() {
            Some(place) => {
                let statement = self.assignment(&place, 2);
                self.output.line(format!("{};", statement.text.text));
            }
            None => self.output.line(";"),
        }
        self.output.indent -= 1;
    }

    /// `if (low <= x && x <= high) { ... }`, with the interval of `x` known inside.
    pub(super) fn refined_if(&mut self) {
        let ids = self.visible(|variable| {
            matches!(variable.ty, Type::Int(ty) if !matches!(ty, Int::Bool | Int::Int128 | Int::Unsigned128))
                && variable.storage == Storage::Local
                && variable.qualifier == Qualifier::None
        });
        if ids.is_empty() {
            return self.if_statement();
        }
        let id = *self.random.pick(&ids);
        let place = self.variable_place(id);
        let (current, signed) = (self.place_range(&place), self.place_type(&place).signed());
        let high = i128::from(*self.random.pick(&[5, 31, 100, 1000, 40_000])).min(current.high);
        let low = if signed && self.random.chance(50) { -high } else { 0 };
        let low = low.max(current.low);
        if low > high {
            return self.if_statement();
        }
        let name = self.scope.variables[id].name.clone();
        let mut tests = Vec::new();
        if current.low < low {
            tests.push(if self.random.chance(50) {
                format!("{name} >= {low}")
            } else {
                format!("{} < {name}", low - 1)
            });
        }
        if current.high > high {
            tests.push(if self.random.chance(50) {
                format!("{name} <= {high}")
            } else {
                format!("{name} < {}", high + 1)
            });
        }
        if tests.is_empty() {
            return self.if_statement();
        }
        let before = self.scope.freeze(id, Range::new(low, high));
        let count = 1 + self.random.below(3);
        self.block(&format!("if ({})", tests.join(" && ")), count);
        self.scope.thaw(id, before);
    }

    /// A loop of one of many forms.
    pub(super) fn loop_statement(&mut self) {
        let room = MAX_REPEATS / self.state.multiplier.max(1);
        if room < 2 {
            return self.if_statement();
        }
        let most = if self.random.chance(80) { 8 } else { 25 };
        let trips = self.random.between(1, room.min(most) as i64);
        match self.random.below(9) {
            0..=2 => self.counting_for(trips),
            3 => self.countdown(trips),
            4 => self.while_loop(trips),
            5 => self.do_loop(trips),
            6 => self.endless_for(trips),
            7 => self.conditional_loop(trips),
            _ => self.two_counters(trips),
        }
    }

    /// Declares a counter with the interval it has outside of the loop body.
    fn counter(&mut self, ty: Int, start: i64, range: Range) -> VarId {
        let name = self.fresh("i");
        let spelling = self.spell(ty);
        self.output.line(format!("{spelling} {name} = {start};"));
        self.add_counter(name, ty, range)
    }

    fn add_counter(&mut self, name: String, ty: Int, range: Range) -> VarId {
        let mut variable = Variable::new(name, Type::Int(ty), Storage::Local);
        variable.range = Some(range);
        self.scope.add(variable)
    }

    fn counter_type(&mut self) -> Int {
        let types = [Int::Int, Int::Int, Int::Int, Int::Unsigned, Int::Long, Int::Short, Int::SignedChar];
        if self.random.chance(10) { Int::UnsignedLongLong } else { *self.random.pick(&types) }
    }

    /// Writes the body of a loop in which `counters` have the given intervals (I1).
    fn loop_body(
        &mut self,
        head: &str,
        trips: i64,
        loops: LoopState,
        counters: &[(VarId, Range)],
        tail: &str,
    ) {
        let before: Vec<Option<Range>> =
            counters.iter().map(|&(id, range)| self.scope.freeze(id, range)).collect();
        let outer = (self.state.loops, self.state.multiplier);
        self.state.loops = loops;
        self.state.multiplier *= trips.max(1) as u64;
        self.output.line(format!("{head}{{"));
        let count = 1 + self.random.below(3);
        self.enclosed(|generator| {
            for _ in 0..count {
                generator.statement();
            }
        });
        (self.state.loops, self.state.multiplier) = outer;
        for (&(id, _), range) in counters.iter().zip(before) {
            self.scope.thaw(id, range);
        }
        self.output.line(format!("}}{tail}"));
    }

    fn counting_for(&mut self, trips: i64) {
        let ty = self.counter_type();
        let start = if ty.signed() && self.random.chance(20) { -trips / 2 } else { 0 };
        let step = *self.random.pick(&[1, 1, 1, 2, 3]);
        let end = start + trips * step;
        let outside = Range::new(i128::from(start), i128::from(end + step));
        let inside = Range::new(i128::from(start), i128::from(end - 1));
        let name = self.fresh("i");
        let spelling = self.spell(ty);
        let advance = match step {
            1 => (*self.random.pick(&["++{}", "{}++", "{} += 1", "{} = {} + 1"])).replace("{}", &name),
            _ => format!("{name} += {step}"),
        };
        let test = if self.random.chance(80) { format!("< {end}") } else { format!("<= {}", end - 1) };
        self.scope.open();
        let declared = self.random.chance(70);
        if !declared {
            self.output.line(format!("{spelling} {name};"));
        }
        let id = self.add_counter(name.clone(), ty, outside);
        let declaration = if declared { format!("{spelling} ") } else { String::new() };
        let head = format!("for ({declaration}{name} = {start}; {name} {test}; {advance}) ");
        self.loop_body(&head, trips, LoopState::Both, &[(id, inside)], "");
        self.scope.close();
    }

    fn countdown(&mut self, trips: i64) {
        let range = |low: i64, high: i64| Range::new(i128::from(low), i128::from(high));
        self.scope.open();
        let name = self.fresh("i");
        let (ty, head, inside) = match self.random.below(3) {
            0 => {
                // The test itself decrements, also past zero when the loop ends.
                let spelling = self.spell(Int::Unsigned);
                (
                    Int::Unsigned,
                    format!("for ({spelling} {name} = {trips}; {name}-- > 0;) "),
                    range(0, trips - 1),
                )
            }
            1 => (Int::Int, format!("for (int {name} = {trips}; {name} > 0; {name}--) "), range(1, trips)),
            _ => (
                Int::Long,
                format!("for (long {name} = {}; {name} >= 0; --{name}) ", trips - 1),
                range(0, trips - 1),
            ),
        };
        let full = ty.range(self.options.model);
        let id = self.add_counter(name, ty, full);
        self.loop_body(&head, trips, LoopState::Both, &[(id, inside)], "");
        self.scope.close();
    }

    fn while_loop(&mut self, trips: i64) {
        let ty = self.counter_type();
        let end = i128::from(trips);
        if self.random.chance(50) {
            let id = self.counter(ty, 0, Range::new(0, end + 1));
            let name = self.scope.variables[id].name.clone();
            let head = format!("while ({name}++ < {trips}) ");
            self.loop_body(&head, trips, LoopState::Both, &[(id, Range::new(1, end))], "");
            return;
        }
        let id = self.counter(ty, 0, Range::new(0, end));
        let name = self.scope.variables[id].name.clone();
        let before = self.scope.freeze(id, Range::new(0, end - 1));
        self.output.line(format!("while ({name} < {trips}) {{"));
        self.stepped_body(trips, &format!("{name}++;"));
        self.scope.thaw(id, before);
    }

    /// A body that ends with the step of the loop, so `continue` would skip it.
    fn stepped_body(&mut self, trips: i64, step: &str) {
        self.output.indent += 1;
        let outer = (self.state.loops, self.state.multiplier);
        self.state.loops = LoopState::BreakOnly;
        self.state.multiplier *= trips.max(1) as u64;
        self.block("", 2);
        (self.state.loops, self.state.multiplier) = outer;
        self.output.line(step);
        self.output.indent -= 1;
        self.output.line("}");
    }

    fn do_loop(&mut self, trips: i64) {
        let ty = self.counter_type();
        let end = i128::from(trips);
        let id = self.counter(ty, 0, Range::new(0, end));
        let name = self.scope.variables[id].name.clone();
        let tail = format!(" while (++{name} < {trips});");
        self.loop_body("do ", trips, LoopState::Both, &[(id, Range::new(0, end - 1))], &tail);
    }

    fn endless_for(&mut self, trips: i64) {
        let end = i128::from(trips);
        let id = self.counter(Int::Int, 0, Range::new(0, end));
        let name = self.scope.variables[id].name.clone();
        let before = self.scope.freeze(id, Range::new(0, end - 1));
        let head = *self.random.pick(&["for (;;) {", "while (1) {"]);
        self.output.line(head);
        self.output.line(format!("    if ({name} >= {trips}) break;"));
        self.stepped_body(trips, &format!("{name} += 1;"));
        self.scope.thaw(id, before);
    }

    /// A loop that may end early because of the data.
    fn conditional_loop(&mut self, trips: i64) {
        let fuel = self.fresh("i");
        self.output.line(format!("int {fuel} = {trips};"));
        let outer = self.state.multiplier;
        self.state.multiplier *= trips as u64 + 1;
        let condition = self.condition(2).at(level::LOGICAL_AND);
        self.state.multiplier = outer;
        let head = if self.random.chance(50) {
            format!("while ({fuel}-- > 0 && {condition}) ")
        } else {
            format!("for (; {condition} && {fuel} > 0; {fuel}--) ")
        };
        self.loop_body(&head, trips, LoopState::Both, &[], "");
    }

    fn two_counters(&mut self, trips: i64) {
        let (first, second) = (self.fresh("i"), self.fresh("j"));
        let end = i128::from(trips);
        self.scope.open();
        let ids =
            [&first, &second].map(|name| self.add_counter(name.clone(), Int::Int, Range::new(-1, end + 1)));
        let head =
            format!("for (int {first} = 0, {second} = {trips}; {first} < {second}; {first}++, {second}--) ");
        let inside = [(ids[0], Range::new(0, end - 1)), (ids[1], Range::new(1, end))];
        self.loop_body(&head, trips, LoopState::Both, &inside, "");
        self.scope.close();
    }
}
