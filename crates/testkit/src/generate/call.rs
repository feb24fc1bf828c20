//! Calls of functions, directly and through tables of function pointers.

use super::effects::Effects;
use super::function::{Function, Parameter, Returned};
use super::scope::{Qualifier, Storage};
use super::types::Type;
use super::value::{Expr, level};
use super::{Generator, Table};

impl Generator {
    /// A struct of the type: a variable or a compound literal.
    pub(super) fn struct_value(&mut self, id: usize) -> (String, Effects) {
        let ids = self.visible(|variable| variable.ty == Type::Struct(id));
        if !ids.is_empty() && self.random.chance(75) {
            let (first, second) = (*self.random.pick(&ids), *self.random.pick(&ids));
            let name = |id: usize| self.scope.variables[id].name.clone();
            let (text, effects) = (name(first), self.scope.reading(first));
            if first == second || self.random.chance(60) {
                return (text, effects);
            }
            let other = name(second);
            let effects = effects.join(&self.scope.reading(second));
            let condition = self.pure_expression(1);
            let text = format!("{} ? {text} : {other}", condition.at(level::LOGICAL_OR));
            return (text, effects.join(&condition.effects));
        }
        let (list, effects) = self.local_initializer(&Type::Struct(id), None, 0);
        (format!("({}){list}", self.types.structs[id].spelling), effects)
    }

    /// Arguments for a call, or `None` if one cannot be had.
    fn arguments(&mut self, function: &Function, depth: u32) -> Option<(String, Effects)> {
        let mut texts = Vec::new();
        let mut all = Effects::default();
        for parameter in &function.parameters {
            let (mut text, mut effects) = self.argument(function, parameter, depth)?;
            if all.conflicts(&effects) {
                let Type::Int(ty) = parameter.ty else { return None };
                let range = parameter.range.unwrap_or(ty.range(self.options.model));
                let mut literal = self.literal_in(range);
                if function.old_style {
                    literal = self.cast(literal, ty);
                }
                (text, effects) = (literal.text.text, Effects::default());
            }
            all = all.join(&effects);
            texts.push(text);
        }
        Some((texts.join(", "), all))
    }

    fn argument(
        &mut self,
        function: &Function,
        parameter: &Parameter,
        depth: u32,
    ) -> Option<(String, Effects)> {
        match &parameter.ty {
            Type::Int(ty) => {
                let value = self.expression(depth);
                let mut value = match parameter.range {
                    Some(range) => self.coerce(value, range),
                    None => value,
                };
                if function.old_style {
                    value = self.cast(value, *ty);
                }
                Some((value.at(level::ASSIGN), value.effects))
            }
            Type::Struct(id) => Some(self.struct_value(*id)),
            Type::Pointer(to) => {
                if let (Type::Struct(id), true) = (&**to, self.random.chance(15)) {
                    let (list, effects) = self.local_initializer(to, None, 0);
                    return Some((format!("&({}){list}", self.types.structs[*id].spelling), effects));
                }
                let (text, effects) = self.address_of(to, usize::MAX)?;
                Some((text.text, effects))
            }
            Type::Array(element, length) => {
                let ids = self.visible(|variable| {
                    variable.storage != Storage::Local
                        && variable.qualifier == Qualifier::None
                        && variable.range.is_none()
                        && matches!(&variable.ty, Type::Array(of, long) if of == element && long >= length)
                });
                if !ids.is_empty() && self.random.chance(80) {
                    let id = *self.random.pick(&ids);
                    return Some((self.scope.variables[id].name.clone(), Effects::default()));
                }
                let (list, effects) = self.local_initializer(&parameter.ty, None, 0);
                let name = self.type_name(&parameter.ty);
                let list = if list.starts_with('"') { format!("{{{list}}}") } else { list };
                Some((format!("({name}){list}"), effects))
            }
            _ => None,
        }
    }

    /// A call of a function that satisfies `accept`, with the effects of the call.
    pub(super) fn call(
        &mut self,
        depth: u32,
        accept: impl Fn(&Function) -> bool,
    ) -> Option<(String, Function, Effects)> {
        if self.state.constant {
            return None;
        }
        let tables = !self.tables.is_empty() && self.state.effects && !self.state.pure;
        if tables
            && self.random.chance(30)
            && let Some(found) = self.table_call(depth, &accept)
        {
            return Some(found);
        }
        let (room, multiplier) = (self.state.limit.saturating_sub(self.state.cost), self.state.multiplier);
        let candidates: Vec<usize> = (0..self.functions.len())
            .filter(|&index| {
                let function = &self.functions[index];
                let allowed = function.pure || (self.state.effects && !self.state.pure);
                allowed && accept(function) && function.cost.saturating_mul(multiplier) <= room
            })
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let function = self.functions[*self.random.pick(&candidates)].clone();
        self.state.cost += function.cost * multiplier;
        let (arguments, mut effects) = self.arguments(&function, depth)?;
        if !function.pure {
            effects = effects.join(&Effects::call());
        }
        let text = match self.random.below(15) {
            0 if !function.old_style => format!("(*{})({arguments})", function.name),
            1 if !function.old_style => format!("(&{})({arguments})", function.name),
            _ => format!("{}({arguments})", function.name),
        };
        Some((text, function, effects))
    }

    /// A call through a table of function pointers.
    fn table_call(
        &mut self,
        depth: u32,
        accept: impl Fn(&Function) -> bool,
    ) -> Option<(String, Function, Effects)> {
        let table = self.random.below(self.tables.len());
        let Table { name, length, function, cost } = &self.tables[table];
        let (name, length, cost) = (name.clone(), *length, *cost);
        let function = self.functions[*function].clone();
        let total = cost.saturating_mul(self.state.multiplier);
        if !accept(&function) || self.state.cost + total > self.state.limit {
            return None;
        }
        self.state.cost += total;
        let index = self.index(length);
        let (arguments, effects) = self.arguments(&function, depth)?;
        if index.effects.conflicts(&effects) {
            return None;
        }
        let effects = effects.join(&index.effects).join(&Effects::call());
        let text = match self.random.below(10) {
            0..=5 => format!("{name}[{}]({arguments})", index.text.text),
            6 | 7 => format!("(*{name}[{}])({arguments})", index.text.text),
            8 => format!("apply_{name}({name}[{}], {arguments})", index.text.text),
            _ if index.effects.pure() => format!("apply_{name}({}, {arguments})", function.name),
            _ => return None,
        };
        Some((text, function, effects))
    }

    /// A call that returns an integer.
    pub(super) fn call_expression(&mut self, depth: u32) -> Option<Expr> {
        let integer = |function: &Function| matches!(function.returned, Returned::Integer(..));
        let (text, function, effects) = self.call(depth.saturating_sub(1), integer)?;
        let Returned::Integer(ty, range) = function.returned else { return None };
        Some(Expr::new(text, level::POSTFIX, ty, range).with(effects))
    }
}
