//! The heap: buffers that grow and shrink, lists and trees, objects that are freed.

use super::types::Type;
use super::{Feature, Generator, Variable};

impl Generator {
    pub(super) fn heap_statement(&mut self) {
        match self.random.below(5) {
            0 if self.has(Feature::Heap) => self.buffer(),
            1 if self.has(Feature::Resizing) => self.resized(),
            2 if self.has(Feature::Lists) => self.list(),
            3 if self.has(Feature::Lists) => self.tree(),
            4 if self.has(Feature::Freeing) => self.freed(),
            _ => self.mix_something(),
        }
    }

    /// A buffer whose size is an input.
    fn buffer(&mut self) {
        let ty = self.object_type(1);
        let (name, counter, size) = (self.fresh("h"), self.fresh("i"), self.fresh("n"));
        let spelled = self.spell(&ty);
        let pointer = self.spell(&ty.pointer());
        let value = self.simple();
        self.line(format!("unsigned long {size} = 1 + (unsigned char)({value}) % 5;"));
        let allocation = match self.random.below(3) {
            0 => format!("calloc({size}, sizeof({spelled}))"),
            _ => format!("zeroed({size} * sizeof({spelled}))"),
        };
        self.line(format!(
            "{} = ({pointer}){allocation};",
            super::declare(&self.records, &ty.pointer(), &name)
        ));
        if ty.is_integer() {
            let (value, index) = (self.simple(), self.random.below(6));
            self.line(format!(
                "for (unsigned {counter} = 0; {counter} < {size}; {counter}++) {name}[{counter}] = {counter} ^ {value};"
            ));
            self.line(format!("mix({name}[{index} % {size}]);"));
        }
        self.locals.push(Variable { name: size, ty: Type::Number("unsigned long"), is_constant: true });
        self.locals.push(Variable { name, ty: ty.pointer(), is_constant: false });
    }

    /// A buffer that grows or shrinks.
    fn resized(&mut self) {
        let ty = self.object_type(1);
        let (name, counter) = (self.fresh("h"), self.fresh("i"));
        let spelled = self.spell(&ty);
        let pointer = self.spell(&ty.pointer());
        let (old, new) = (1 + self.random.below(4), 1 + self.random.below(6));
        let value = self.simple();
        let new = if self.random.chance(50) {
            format!("(1 + (unsigned)({value}) % {new})")
        } else {
            new.to_string()
        };
        self.line(format!(
            "{} = ({pointer})calloc({old}, sizeof({spelled}));",
            super::declare(&self.records, &ty.pointer(), &name)
        ));
        if ty.is_integer() {
            self.line(format!("for (int {counter} = 0; {counter} < {old}; {counter}++) {name}[{counter}] = {counter} + {value};"));
        } else if let Some(inner) = self.value(&ty) {
            self.guarded(&format!("{name}[0] = {inner};"));
        }
        self.guards.clear();
        if self.random.chance(40) {
            let rounds = 1 + self.random.below(3);
            self.line(format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++) {name} = ({pointer})realloc({name}, ({new} + {counter}) * sizeof({spelled}));"));
        } else {
            self.line(format!("{name} = ({pointer})realloc({name}, {new} * sizeof({spelled}));"));
        }
        if ty.is_integer() {
            self.line(format!("for (int {counter} = 0; {counter} < {new} && {counter} < {old}; {counter}++) mix({name}[{counter}]);"));
        }
        self.locals.push(Variable { name, ty: ty.pointer(), is_constant: false });
    }

    /// A list that is built, changed, added up and sometimes freed.
    fn list(&mut self) {
        let (node, head, item, counter) =
            (self.fresh("N"), self.fresh("l"), self.fresh("q"), self.fresh("i"));
        let ty = self.integer_type();
        let member = super::declare(&self.records, &ty, "value");
        let extra = if self.random.chance(30) { " int marks[2];" } else { "" };
        self.types.push(format!("struct {node} {{ {member};{extra} struct {node} *next; }};"));
        let value = self.simple();
        let count = 1 + self.random.below(4);
        let mut lines = vec![
            format!("struct {node} *{head} = 0;"),
            format!("for (int {counter} = 0; {counter} < {count}; {counter}++) {{"),
            format!("    struct {node} *{item} = malloc(sizeof(struct {node}));"),
            format!("    {item}->value = {value} + {counter};"),
        ];
        if self.random.chance(50) {
            lines.push(format!("    {item}->next = {head}; {head} = {item};"));
        } else {
            lines.push(format!(
                "    struct {node} **{item}e = &{head}; while (*{item}e) {item}e = &(*{item}e)->next;"
            ));
            lines.push(format!("    {item}->next = 0; *{item}e = {item};"));
        }
        lines.push("}".to_owned());
        match self.random.below(4) {
            0 => lines.push(format!("for (struct {node} **{item}e = &{head}; *{item}e; ) {{ if ((*{item}e)->value & 1) *{item}e = (*{item}e)->next; else {item}e = &(*{item}e)->next; }}")),
            1 => lines.push(format!("struct {node} *{item}r = 0; while ({head}) {{ struct {node} *{item}n = {head}->next; {head}->next = {item}r; {item}r = {head}; {head} = {item}n; }} {head} = {item}r;")),
            2 => lines.push(format!("if ({head} && {head}->next) {{ struct {node} *{item}x = {head}->next; {head}->next = {item}x->next; free({item}x); }}")),
            _ => {}
        }
        lines.push(format!(
            "for (struct {node} *{item} = {head}; {item}; {item} = {item}->next) mix({item}->value);"
        ));
        if self.has(Feature::Freeing) {
            lines.push(format!(
                "while ({head}) {{ struct {node} *{item} = {head}; {head} = {item}->next; free({item}); }}"
            ));
        }
        for line in lines {
            self.line(line);
        }
    }

    /// A search tree.
    fn tree(&mut self) {
        let (node, root, at, counter) = (self.fresh("T"), self.fresh("t"), self.fresh("q"), self.fresh("i"));
        self.types.push(format!("struct {node} {{ int key; struct {node} *child[2]; }};"));
        let (value, count) = (self.simple(), 1 + self.random.below(4));
        let lines = [
            format!("struct {node} *{root} = 0;"),
            format!("for (int {counter} = 0; {counter} < {count}; {counter}++) {{"),
            format!("    int key = (int)(({value}) ^ ({counter} * 5)) & 7;"),
            format!("    struct {node} **{at} = &{root};"),
            format!("    while (*{at} && (*{at})->key != key) {at} = &(*{at})->child[key > (*{at})->key];"),
            format!("    if (!*{at}) {{ *{at} = calloc(1, sizeof(struct {node})); (*{at})->key = key; }}"),
            "}".to_owned(),
            format!(
                "for (struct {node} *{at} = {root}; {at}; {at} = {at}->child[{at}->key & 1]) mix({at}->key);"
            ),
        ];
        for line in lines {
            self.line(line);
        }
    }

    /// An object is freed and another one made; comparisons with null stay.
    fn freed(&mut self) {
        let ty = self.object_type(1);
        let name = self.fresh("h");
        let (spelled, pointer) = (self.spell(&ty), self.spell(&ty.pointer()));
        let declared = super::declare(&self.records, &ty.pointer(), &name);
        self.line(format!("{declared} = ({pointer})calloc(1, sizeof({spelled}));"));
        if let Some(value) = self.value(&ty) {
            self.guarded(&format!("*{name} = {value};"));
        }
        self.guards.clear();
        self.line(format!("free({name});"));
        self.line(format!("{name} = ({pointer})zeroed(sizeof({spelled}));"));
        self.locals.push(Variable { name, ty: ty.pointer(), is_constant: false });
    }
}
