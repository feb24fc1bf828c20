//! Statements.

use super::types::{Type, declare};
use super::{Feature, Generator, Variable};

/// Loops inside each other.
const MAX_LOOPS: usize = 2;

impl Generator {
    /// A local variable, mostly with contents.
    pub(super) fn declare_local(&mut self) {
        let ty = self.object_type(2);
        let name = self.fresh("v");
        let text = declare(&self.records, &ty, &name);
        let (is_static, is_set) = (self.random.chance(10), self.random.chance(85));
        match &ty {
            _ if is_static => self.line(format!("static {text};")),
            Type::Number(_) if is_set => {
                self.guards.clear();
                let value = self.simple();
                self.line(format!("{text} = {value};"));
            }
            Type::Pointer(_) => self.line(format!("{text} = 0;")),
            Type::Number(_) => self.line(format!("{text};")),
            _ if is_set || holds_pointers(self, &ty) => {
                self.line(format!("{text};"));
                self.line(format!("memset(&{name}, 0, sizeof({name}));"));
            }
            _ => self.line(format!("{text};")),
        }
        self.locals.push(Variable { name, ty, is_constant: false });
    }

    /// One statement, or a few that belong together.
    pub(super) fn statement(&mut self, depth: usize) {
        self.guards.clear();
        match self.random.below(24) {
            0..=5 => self.assign_number(),
            6..=10 => self.assign_pointer(),
            11 => self.assign_record(),
            12 | 13 => self.mix_something(),
            14 if depth > 0 => self.condition(depth - 1),
            15 if depth > 0 && self.has(Feature::Loops) => self.counted_loop(depth - 1),
            16 | 17 if self.has(Feature::Copies) => self.copy_statement(),
            18 if self.has(Feature::Bytes) => self.byte_statement(),
            19 => self.heap_statement(),
            20 => self.call_statement(),
            21 if depth > 0 && self.has(Feature::Loops) => self.kept_address(),
            22 => self.walk(),
            23 if self.has(Feature::Variable) => self.variable_array(),
            _ => self.assign_number(),
        }
    }

    fn assign_number(&mut self) {
        let Some(place) = self.place(|place| matches!(place.ty, Type::Number(_)) && !place.is_constant)
        else {
            return self.mix_something();
        };
        self.guards.extend(place.guards.clone());
        let Some(value) = self.value(&place.ty) else { return };
        let op = match self.random.below(6) {
            0 if place.ty.is_integer() && !place.is_bits => "^=",
            1 if matches!(place.ty, Type::Number(name) if name.starts_with("unsigned")) => "+=",
            _ => "=",
        };
        let input = self.random.chance(8);
        let value = if input && place.ty.is_integer() { self.input() } else { value };
        self.guarded(&format!("{} {op} {value};", place.text));
    }

    fn assign_pointer(&mut self) {
        let Some(place) = self.place(|place| matches!(place.ty, Type::Pointer(_)) && !place.is_constant)
        else {
            return self.assign_number();
        };
        let Type::Pointer(target) = place.ty.clone() else { return };
        self.guards.extend(place.guards.clone());
        let value = self.pointer_to(&target, 2);
        let spelled = self.spell(&place.ty);
        self.guarded(&format!("{} = ({spelled})({value});", place.text));
    }

    fn assign_record(&mut self) {
        let Some(place) = self.place(|place| matches!(place.ty, Type::Record(_)) && !place.is_constant)
        else {
            return self.assign_pointer();
        };
        self.guards.extend(place.guards.clone());
        if let Some(value) = self.value(&place.ty) {
            self.guarded(&format!("{} = {value};", place.text));
        }
    }

    pub(super) fn mix_something(&mut self) {
        self.guards.clear();
        let value = self.integer(3);
        self.guarded(&format!("mix({value});"));
    }

    fn block(&mut self, depth: usize, count: usize) {
        let known = self.locals.len();
        self.indent += 1;
        if self.random.chance(30) {
            self.declare_local();
        }
        for _ in 0..count {
            self.statement(depth);
        }
        self.indent -= 1;
        self.locals.truncate(known);
    }

    fn condition(&mut self, depth: usize) {
        let condition = self.integer(2);
        let mut guards = std::mem::take(&mut self.guards);
        guards.push(format!("({condition})"));
        self.line(format!("if ({}) {{", guards.join(" && ")));
        let count = 1 + self.random.below(3);
        self.block(depth, count);
        if self.random.chance(50) {
            self.line("} else {");
            self.block(depth, count);
        }
        self.line("}");
    }

    fn counted_loop(&mut self, depth: usize) {
        if self.loops >= MAX_LOOPS {
            return self.mix_something();
        }
        let (counter, ty) =
            (self.fresh("i"), self.random.pick(&["int", "unsigned", "unsigned char", "long"]).to_owned());
        let bound = match self.random.below(3) {
            0 => format!("((unsigned)({}) & 3)", self.simple()),
            _ => (1 + self.random.below(4)).to_string(),
        };
        let head = match self.random.below(3) {
            0 => format!("for ({ty} {counter} = 0; {counter} < {bound}; {counter}++) {{"),
            1 => format!("for ({ty} {counter} = {bound}; {counter} > 0; {counter}--) {{"),
            _ => format!("for ({ty} {counter} = 1; {counter} <= {bound}; {counter}++) {{"),
        };
        self.line(head);
        let known = self.locals.len();
        self.locals.push(Variable { name: counter, ty: Type::Number("unsigned"), is_constant: true });
        self.loops += 1;
        let count = 1 + self.random.below(3);
        self.block(depth, count);
        self.loops -= 1;
        self.locals.truncate(known);
        self.line("}");
    }

    /// A local of a loop whose address is kept for the iteration, and sometimes longer.
    fn kept_address(&mut self) {
        if self.loops >= MAX_LOOPS {
            return self.mix_something();
        }
        let ty = self.integer_type();
        let (counter, local, pointer) = (self.fresh("i"), self.fresh("x"), self.fresh("p"));
        let (spelled, value) = (self.spell(&ty), self.simple());
        let is_outside = self.random.chance(50);
        if is_outside {
            self.line(format!("{spelled} *{pointer} = 0;"));
        }
        let count = 1 + self.random.below(3);
        self.line(format!("for (int {counter} = 0; {counter} < {count}; {counter}++) {{"));
        self.indent += 1;
        self.line(format!("{spelled} {local} = {value};"));
        if is_outside {
            if self.random.chance(30) {
                self.line(format!("if ({pointer}) mix(*{pointer});"));
            }
            self.line(format!("{pointer} = &{local};"));
        } else {
            self.line(format!("{spelled} *{pointer} = &{local};"));
        }
        self.line(format!("*{pointer} += {counter};"));
        let known = self.locals.len();
        self.locals.push(Variable { name: local.clone(), ty: ty.clone(), is_constant: false });
        self.locals.push(Variable { name: pointer.clone(), ty: ty.pointer(), is_constant: false });
        self.loops += 1;
        self.statement(0);
        self.loops -= 1;
        self.locals.truncate(known);
        self.line(format!("mix({local});"));
        self.indent -= 1;
        self.line("}");
    }

    /// A walk over an array with a pointer.
    fn walk(&mut self) {
        let found = self.place(|place| {
            matches!(&place.ty, Type::Array(element, _) if element.is_integer()) && !place.is_constant
        });
        let Some(place) = found else { return self.mix_something() };
        let Type::Array(element, length) = place.ty.clone() else { return };
        let pointer = self.fresh("p");
        let (spelled, name) = (self.spell(&element), place.text.clone());
        let body = match self.random.below(3) {
            0 => format!("mix(*{pointer});"),
            1 => format!("*{pointer} = {pointer} - {name};"),
            _ => format!("*{pointer} ^= {};", self.simple()),
        };
        self.guards.extend(place.guards);
        let text = match self.random.below(4) {
            0 => format!(
                "for ({spelled} *{pointer} = {name}; {pointer} < {name} + {length}; {pointer}++) {{ {body} }}"
            ),
            1 => format!(
                "for ({spelled} *{pointer} = {name} + {length}; {pointer} != {name}; ) {{ --{pointer}; {body} }}"
            ),
            2 => format!(
                "{spelled} *{pointer} = &{name}[{}]; {body} {pointer} -= {pointer} - {name}; {body}",
                self.random.below(length)
            ),
            _ => format!(
                "{spelled} *{pointer} = {name} - 1; do {{ {pointer}++; {body} }} while ({pointer} - {name} < {});",
                length - 1
            ),
        };
        self.guarded(&text);
    }

    fn variable_array(&mut self) {
        let (array, counter) = (self.fresh("w"), self.fresh("i"));
        let ty = self.integer_type();
        let (spelled, value) = (self.spell(&ty), self.simple());
        let length = format!("1 + (unsigned)({value}) % 4");
        let index = format!("{counter} * 3 % ({length})");
        let lines = match self.random.below(3) {
            0 => vec![
                format!("{spelled} {array}[{length}];"),
                format!(
                    "for (unsigned {counter} = 0; {counter} < {length}; {counter}++) {array}[{counter}] = {counter};"
                ),
                format!(
                    "for (unsigned {counter} = 0; {counter} < {length}; {counter}++) mix({array}[{index}]);"
                ),
            ],
            1 => vec![
                format!("{spelled} {array}[{length}], *{array}p = {array};"),
                format!(
                    "for (unsigned {counter} = 0; {counter} < {length}; {counter}++) *{array}p++ = {counter} + 2;"
                ),
                format!("while ({array}p != {array}) mix(*--{array}p);"),
            ],
            _ => vec![
                format!("{spelled} {array}[{length}][2];"),
                format!("memset({array}, 1, sizeof({array}));"),
                format!(
                    "for (unsigned {counter} = 0; {counter} < {length}; {counter}++) {array}[{counter}][{counter} & 1] = {counter};"
                ),
                format!("mix({array}[({length}) - 1][0] + sizeof({array}));"),
            ],
        };
        self.line("{");
        for line in lines {
            self.line(format!("    {line}"));
        }
        self.line("}");
    }

    /// Everything that can be reached goes into the checksum.
    pub(super) fn mix_all(&mut self) {
        for _ in 0..6 {
            self.mix_something();
        }
    }
}

/// Whether an object of a type contains pointers.
fn holds_pointers(generator: &Generator, ty: &Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Array(element, _) => holds_pointers(generator, element),
        Type::Record(index) => {
            generator.records[*index].members.iter().any(|member| holds_pointers(generator, &member.ty))
        }
        Type::Number(_) | Type::Function => false,
    }
}
