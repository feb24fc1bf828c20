//! Functions that take pointers, and their calls.

use super::types::{Type, declare};
use super::{Feature, Function, Generator, Variable};

impl Generator {
    pub(super) fn define_functions(&mut self) {
        if self.has(Feature::Functions) {
            for _ in 0..=self.random.below(3) {
                self.define_table_function();
            }
            let name = self.fresh("table");
            let count = self.table_functions.len();
            let entries = self.table_functions.join(", ");
            self.definitions.push(format!("int (*{name}[{count}])(int) = {{ {entries} }};"));
            let ty = Type::Function.pointer().array(count);
            self.globals.push(Variable { name, ty, is_constant: false });
        }
        for _ in 0..self.random.below(3) {
            self.define_function();
        }
    }

    fn define_table_function(&mut self) {
        let name = self.fresh("f");
        let known = self.locals.len();
        self.locals.push(Variable { name: "x".to_owned(), ty: Type::Number("int"), is_constant: false });
        self.body.clear();
        // It calls nobody, so that recursion ends.
        let features = self.features.clone();
        self.features.retain(|feature| *feature != Feature::Functions);
        self.statement(0);
        self.features = features;
        let factor = self.random.below(9);
        self.line(format!("return (int)((unsigned)x * {factor} + 1);"));
        self.locals.truncate(known);
        let body = std::mem::take(&mut self.body);
        self.definitions.push(format!("int {name}(int x)\n{{\n{}\n}}", body.join("\n")));
        self.table_functions.push(name);
    }

    /// A function with pointers as parameters; it may call itself with pointers to its locals.
    fn define_function(&mut self) {
        let name = self.fresh("f");
        let outer = std::mem::take(&mut self.locals);
        let count = 1 + self.random.below(3);
        let params: Vec<Type> = (0..count).map(|_| self.pointer_type(1)).collect();
        let mut texts = vec!["int n".to_owned()];
        self.locals.push(Variable { name: "n".to_owned(), ty: Type::Number("int"), is_constant: true });
        for (number, ty) in params.iter().enumerate() {
            let param = format!("a{number}");
            texts.push(declare(&self.records, ty, &param));
            self.locals.push(Variable { name: param, ty: ty.clone(), is_constant: false });
        }
        self.body.clear();
        for _ in 0..=self.random.below(2) {
            self.declare_local();
        }
        for _ in 0..=self.random.below(3) {
            self.statement(1);
        }
        if self.has(Feature::Recursion) {
            self.guards.clear();
            let arguments: Vec<String> = params.iter().map(|ty| self.argument(ty)).collect();
            let text = format!("mix({name}(n - 1, {}));", arguments.join(", "));
            self.guards.insert(0, "n > 0".to_owned());
            self.guarded(&text);
            self.statement(1);
        }
        self.guards.clear();
        let result = self.simple();
        self.line(format!("return (int)({result});"));
        self.locals = outer;
        let body = std::mem::take(&mut self.body);
        self.definitions.push(format!("int {name}({})\n{{\n{}\n}}", texts.join(", "), body.join("\n")));
        self.functions.push(Function { name, params });
    }

    fn argument(&mut self, ty: &Type) -> String {
        let Type::Pointer(target) = ty else { return "0".to_owned() };
        let (spelled, value) = (self.spell(ty), self.pointer_to(target, 2));
        format!("({spelled})({value})")
    }

    /// A call of a function, or through a pointer to one.
    pub(super) fn call_statement(&mut self) {
        let is_function = |ty: &Type| *ty == Type::Function.pointer();
        if self.has(Feature::Functions) && self.random.chance(40) {
            let Some(place) = self.place(|place| is_function(&place.ty)) else { return self.mix_something() };
            self.guards.extend(place.guards.clone());
            self.guards.push(place.text.clone());
            let value = self.simple();
            return self.guarded(&format!("mix({}({value}));", place.text));
        }
        if self.functions.is_empty() {
            return self.mix_something();
        }
        let functions = self.functions.clone();
        let function = self.random.pick(&functions).clone();
        let arguments: Vec<String> = function.params.iter().map(|ty| self.argument(ty)).collect();
        let depth = self.random.below(4);
        self.guarded(&format!("mix({}({depth}, {}));", function.name, arguments.join(", ")));
    }
}
