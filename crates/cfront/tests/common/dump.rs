//! A syntax tree as text: operators in Lisp style, types in the order in which they are read aloud.
#![allow(clippy::format_push_string, clippy::format_collect)] // brevity

use cfront::Interner;
use cfront::ast::*;

/// Prints parts of a tree.
pub(crate) struct Dump<'a> {
    pub(crate) unit: &'a TranslationUnit,
    pub(crate) names: &'a Interner,
}

impl Dump<'_> {
    /// All items, one or more lines each.
    pub(crate) fn unit(&self) -> String {
        let mut text = String::new();
        for item in &self.unit.items {
            match item {
                Item::Declaration(declaration) => text += &format!("{}\n", self.declaration(*declaration)),
                Item::Function(function) => text += &self.function(*function),
                Item::Asm(asm) => text += &format!("{}\n", self.asm(*asm)),
            }
        }
        text
    }
    fn function(&self, function: FunctionId) -> String {
        let function = &self.unit.functions[function];
        let mut text = format!(
            "fn {}: {}\n",
            self.declared(function.declarator),
            self.full_type(function.specifiers, function.declarator)
        );
        for declaration in &function.parameter_declarations {
            text += &format!("  parameter {}\n", self.declaration(*declaration));
        }
        text + &self.stmt(function.body, 1)
    }
    fn declared(&self, declarator: DeclaratorId) -> String {
        let ident = self.unit.declarators[declarator].ident;
        ident.map_or_else(|| "_".to_owned(), |ident| self.names.text(ident.name).to_owned())
    }
    /// One declaration on one line.
    pub(crate) fn declaration(&self, declaration: DeclarationId) -> String {
        match &self.unit.declarations[declaration].kind {
            DeclarationKind::StaticAssert { condition, .. } => {
                format!("static-assert {}", self.expr(*condition))
            }
            DeclarationKind::Plain { specifiers, declarators } if declarators.is_empty() => {
                self.specifiers(*specifiers)
            }
            DeclarationKind::Plain { specifiers, declarators } => {
                let declare = |declared: &InitDeclarator| {
                    let init = declared.initializer.map(|init| format!(" = {}", self.initializer(init)));
                    let declarator = declared.declarator;
                    let full_type = self.full_type(*specifiers, declarator);
                    format!("{}: {full_type}{}", self.declared(declarator), init.unwrap_or_default())
                };
                declarators.iter().map(declare).collect::<Vec<_>>().join(", ")
            }
        }
    }
    fn attributes(&self, attributes: &[Attribute]) -> String {
        attributes
            .iter()
            .map(|attribute| match attribute.kind {
                AttributeKind::Packed => " [packed]".to_owned(),
                AttributeKind::Aligned(None) => " [aligned]".to_owned(),
                AttributeKind::Aligned(Some(AlignasArgument::Expr(expr))) => {
                    format!(" [aligned {}]", self.expr(expr))
                }
                AttributeKind::Aligned(Some(AlignasArgument::Type(_))) => " [aligned type]".to_owned(),
                AttributeKind::Noreturn => " [noreturn]".to_owned(),
                AttributeKind::Promise(name) => format!(" [promise {}]", self.names.text(name)),
                AttributeKind::Mode(name) => format!(" [mode {}]", self.names.text(name)),
                AttributeKind::TransparentUnion => " [transparent]".to_owned(),
                AttributeKind::VectorSize(expr) => format!(" [vector {}]", self.expr(expr)),
                AttributeKind::MaxAlign(limit) => format!(" [pack {limit}]"),
                AttributeKind::GnuInline => " [gnu inline]".to_owned(),
                AttributeKind::SystemInline => " [gnu inline of the system]".to_owned(),
                AttributeKind::Weak => " [weak]".to_owned(),
            })
            .collect()
    }
    fn qualifiers(qualifiers: Qualifiers) -> String {
        let words = [
            (qualifiers.is_const, "const "),
            (qualifiers.is_volatile, "volatile "),
            (qualifiers.is_restrict, "restrict "),
            (qualifiers.is_atomic, "atomic "),
        ];
        words.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect()
    }
    fn specifiers(&self, specifiers: SpecifiersId) -> String {
        let specifiers = &self.unit.specifiers[specifiers];
        let mut text = String::new();
        if let Some((storage, _)) = specifiers.storage {
            text += &format!("{storage:?} ").to_lowercase();
        }
        for (set, word) in [
            (specifiers.thread_local, "thread "),
            (specifiers.inline, "inline "),
            (specifiers.noreturn, "noreturn "),
        ] {
            if set {
                text += word;
            }
        }
        for argument in &specifiers.alignas {
            text += &match argument {
                AlignasArgument::Expr(expr) => format!("alignas {} ", self.expr(*expr)),
                AlignasArgument::Type(type_name) => format!("alignas {} ", self.type_name(*type_name)),
            };
        }
        text += &Self::qualifiers(specifiers.qualifiers);
        text += &match specifiers.kind {
            TypeSpecifier::Builtin(builtin) => format!("{builtin:?}"),
            TypeSpecifier::Complex(builtin) => format!("Complex{builtin:?}"),
            TypeSpecifier::Record(record) => self.record(record),
            TypeSpecifier::Enum(id) => self.enumeration(id),
            TypeSpecifier::Typedef(name) => self.names.text(name).to_owned(),
            TypeSpecifier::TypeofExpr(expr) => format!("typeof({})", self.expr(expr)),
            TypeSpecifier::TypeofType(type_name) => format!("typeof({})", self.type_name(type_name)),
            TypeSpecifier::Atomic(type_name) => format!("atomic({})", self.type_name(type_name)),
            TypeSpecifier::AutoType => "auto".to_owned(),
            TypeSpecifier::VaList => "va_list".to_owned(),
        };
        text + &self.attributes(&specifiers.attributes)
    }
    fn record(&self, record: RecordId) -> String {
        let record = &self.unit.records[record];
        let mut text = format!("{:?}", record.kind).to_lowercase();
        if let Some(tag) = record.tag {
            text += &format!(" {}", self.names.text(tag.name));
        }
        if let Some(members) = &record.members {
            let members: Vec<String> = members.iter().map(|member| self.member(member)).collect();
            text += &format!(" {{{}}}", members.join("; "));
        }
        text + &self.attributes(&record.attributes)
    }
    fn member(&self, member: &MemberDeclaration) -> String {
        match member {
            MemberDeclaration::StaticAssert(declaration) => self.declaration(*declaration),
            MemberDeclaration::Members { specifiers, declarators, .. } if declarators.is_empty() => {
                self.specifiers(*specifiers)
            }
            MemberDeclaration::Members { specifiers, declarators, .. } => {
                let show = |member: &MemberDeclarator| {
                    let width = member.width.map(|width| format!(" : {}", self.expr(width)));
                    let full_type = self.full_type(*specifiers, member.declarator);
                    format!("{}: {full_type}{}", self.declared(member.declarator), width.unwrap_or_default())
                };
                declarators.iter().map(show).collect::<Vec<_>>().join(", ")
            }
        }
    }
    fn enumeration(&self, id: EnumId) -> String {
        let specifier = &self.unit.enums[id];
        let mut text = "enum".to_owned();
        if let Some(tag) = specifier.tag {
            text += &format!(" {}", self.names.text(tag.name));
        }
        if let Some(enumerators) = &specifier.enumerators {
            let show = |enumerator: &Enumerator| {
                let value = enumerator.value.map(|value| format!(" = {}", self.expr(value)));
                format!("{}{}", self.names.text(enumerator.ident.name), value.unwrap_or_default())
            };
            text += &format!(" {{{}}}", enumerators.iter().map(show).collect::<Vec<_>>().join(", "));
        }
        text + &self.attributes(&specifier.attributes)
    }
    fn full_type(&self, specifiers: SpecifiersId, declarator: DeclaratorId) -> String {
        let declarator = &self.unit.declarators[declarator];
        let mut text = String::new();
        for part in &declarator.parts {
            text += &match part {
                DeclaratorPart::Pointer { qualifiers } => {
                    format!("{}pointer to ", Self::qualifiers(*qualifiers))
                }
                DeclaratorPart::Array { size, qualifiers, is_static, .. } => {
                    let size = match size {
                        ArraySize::Unspecified => String::new(),
                        ArraySize::Star => "*".to_owned(),
                        ArraySize::Expr(expr) => self.expr(*expr),
                    };
                    let prefix = if *is_static { "static " } else { "" };
                    format!("array[{prefix}{}{size}] of ", Self::qualifiers(*qualifiers))
                }
                DeclaratorPart::Function { parameters, .. } => {
                    format!("function({}) returning ", self.parameters(parameters))
                }
            };
        }
        text += &self.specifiers(specifiers);
        if let Some(label) = declarator.asm_label {
            text += &format!(" asm {:?}", String::from_utf8_lossy(&self.unit.strings[label].bytes()));
        }
        text + &self.attributes(&declarator.attributes)
    }
    fn parameters(&self, parameters: &Parameters) -> String {
        match parameters {
            Parameters::Identifiers(names) => {
                let names: Vec<&str> = names.iter().map(|ident| self.names.text(ident.name)).collect();
                format!("?{}", names.join(", "))
            }
            Parameters::Prototype { parameters, variadic } => {
                let show = |parameter: &Parameter| {
                    format!(
                        "{}: {}",
                        self.declared(parameter.declarator),
                        self.full_type(parameter.specifiers, parameter.declarator)
                    )
                };
                let mut shown: Vec<String> = parameters.iter().map(show).collect();
                if *variadic {
                    shown.push("...".to_owned());
                }
                shown.join(", ")
            }
        }
    }
    fn type_name(&self, type_name: TypeNameId) -> String {
        let type_name = self.unit.type_names[type_name];
        self.full_type(type_name.specifiers, type_name.declarator)
    }
    fn initializer(&self, initializer: InitializerId) -> String {
        match &self.unit.initializers[initializer].kind {
            InitializerKind::Expr(expr) => self.expr(*expr),
            InitializerKind::List(items) => {
                let show = |item: &InitializerItem| {
                    let place = self.designators(&item.designators);
                    let equals = if place.is_empty() { "" } else { " = " };
                    format!("{place}{equals}{}", self.initializer(item.value))
                };
                format!("{{{}}}", items.iter().map(show).collect::<Vec<_>>().join(", "))
            }
        }
    }
    fn designators(&self, designators: &[Designator]) -> String {
        designators
            .iter()
            .map(|designator| match designator {
                Designator::Member(member) => format!(".{}", self.names.text(member.name)),
                Designator::Index(index) => format!("[{}]", self.expr(*index)),
                Designator::Range(first, last) => format!("[{} ... {}]", self.expr(*first), self.expr(*last)),
            })
            .collect()
    }
    fn asm(&self, asm: AsmId) -> String {
        let asm = &self.unit.asms[asm];
        let operands: String =
            self.unit.exprs_of(asm.operands).iter().map(|expr| format!(" {}", self.expr(*expr))).collect();
        let template = String::from_utf8_lossy(&self.unit.strings[asm.template].bytes()).into_owned();
        format!("asm{} {template:?}{operands}", if asm.is_goto { " goto" } else { "" })
    }

    /// A statement, each on its line, indented.
    pub(crate) fn stmt(&self, stmt: StmtId, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let line = |text: String| format!("{pad}{text}\n");
        let expr = |expr: &ExprId| self.expr(*expr);
        let optional =
            |value: &Option<ExprId>| value.map_or_else(|| "_".to_owned(), |value| self.expr(value));
        match &self.unit.stmts[stmt].kind {
            StmtKind::Empty => line(";".to_owned()),
            StmtKind::Expr(value) => line(expr(value)),
            StmtKind::Declaration(declaration) => line(format!("let {}", self.declaration(*declaration))),
            StmtKind::NestedFunction(function) => line("nested".to_owned()) + &self.function(*function),
            StmtKind::LocalLabels(labels) => {
                let names: Vec<&str> = labels.iter().map(|label| self.names.text(label.name)).collect();
                line(format!("labels {}", names.join(" ")))
            }
            StmtKind::Block { items, .. } => {
                let items: String =
                    self.unit.stmts_of(*items).iter().map(|item| self.stmt(*item, indent + 1)).collect();
                line("{".to_owned()) + &items + &line("}".to_owned())
            }
            StmtKind::Labeled { labels, body } => {
                let labels: String = labels
                    .iter()
                    .map(|label| match label.kind {
                        LabelKind::Named(name) => line(format!("{}:", self.names.text(name))),
                        LabelKind::Case(value) => line(format!("case {}:", self.expr(value))),
                        LabelKind::CaseRange(low, high) => {
                            line(format!("case {}...{}:", self.expr(low), self.expr(high)))
                        }
                        LabelKind::Default => line("default:".to_owned()),
                    })
                    .collect();
                labels + &self.stmt(*body, indent)
            }
            StmtKind::If { condition, then, otherwise } => {
                let mut text = line(format!("if {}", expr(condition))) + &self.stmt(*then, indent + 1);
                if let Some(otherwise) = otherwise {
                    text += &(line("else".to_owned()) + &self.stmt(*otherwise, indent + 1));
                }
                text
            }
            StmtKind::While { condition, body } => {
                line(format!("while {}", expr(condition))) + &self.stmt(*body, indent + 1)
            }
            StmtKind::DoWhile { body, condition, .. } => {
                line("do".to_owned())
                    + &self.stmt(*body, indent + 1)
                    + &line(format!("while {}", expr(condition)))
            }
            StmtKind::For { init, condition, step, body } => {
                let init = match init {
                    ForInit::None => "_".to_owned(),
                    ForInit::Expr(value) => expr(value),
                    ForInit::Declaration(declaration) => self.declaration(*declaration),
                };
                line(format!("for {init}; {}; {}", optional(condition), optional(step)))
                    + &self.stmt(*body, indent + 1)
            }
            StmtKind::Switch { scrutinee, body } => {
                line(format!("switch {}", expr(scrutinee))) + &self.stmt(*body, indent + 1)
            }
            StmtKind::Goto(label) => line(format!("goto {}", self.names.text(label.name))),
            StmtKind::ComputedGoto(value) => line(format!("goto *{}", expr(value))),
            StmtKind::Break => line("break".to_owned()),
            StmtKind::Continue => line("continue".to_owned()),
            StmtKind::Return(value) => line(format!("return {}", optional(value))),
            StmtKind::Asm(asm) => line(self.asm(*asm)),
        }
    }

    /// An expression.
    pub(crate) fn expr(&self, expr: ExprId) -> String {
        let list =
            |items: &[ExprId]| items.iter().map(|item| format!(" {}", self.expr(*item))).collect::<String>();
        match self.unit.exprs[expr].kind {
            ExprKind::Ident(name) => self.names.text(name).to_owned(),
            ExprKind::Integer(literal) => literal.value().to_string(),
            ExprKind::Float(float) => self.unit.floats[float].text.to_string(),
            ExprKind::Char(literal) => format!("'{}'", literal.value),
            ExprKind::String(string) => {
                format!("{:?}", String::from_utf8_lossy(&self.unit.strings[string].bytes()))
            }
            ExprKind::Parenthesized(inner) => format!("(paren {})", self.expr(inner)),
            ExprKind::Unary { op, operand } => format!("({op:?} {})", self.expr(operand)),
            ExprKind::Binary { op, left, right, .. } => {
                format!("({op:?} {} {})", self.expr(left), self.expr(right))
            }
            ExprKind::Assign { op, target, value, .. } => {
                let op = op.map(|op| format!("{op:?}")).unwrap_or_default();
                format!("({op}= {} {})", self.expr(target), self.expr(value))
            }
            ExprKind::Conditional { condition, then, otherwise, .. } => {
                let then = then.map_or_else(|| "_".to_owned(), |then| self.expr(then));
                format!("(? {} {then} {})", self.expr(condition), self.expr(otherwise))
            }
            ExprKind::Call { callee, arguments, .. } => {
                format!("(call {}{})", self.expr(callee), list(self.unit.exprs_of(arguments)))
            }
            ExprKind::Index { base, index } => format!("(index {} {})", self.expr(base), self.expr(index)),
            ExprKind::Member { base, member, operator } => {
                format!(
                    "({} {} {})",
                    if operator == MemberOperator::Arrow { "->" } else { "." },
                    self.expr(base),
                    self.names.text(member.name)
                )
            }
            ExprKind::Cast { type_name, operand } => {
                format!("(cast <{}> {})", self.type_name(type_name), self.expr(operand))
            }
            ExprKind::CompoundLiteral { type_name, initializer } => {
                format!("(literal <{}> {})", self.type_name(type_name), self.initializer(initializer))
            }
            ExprKind::SizeofExpr(operand) => format!("(sizeof {})", self.expr(operand)),
            ExprKind::SizeofType(type_name) => format!("(sizeof <{}>)", self.type_name(type_name)),
            ExprKind::AlignofExpr(operand) => format!("(alignof {})", self.expr(operand)),
            ExprKind::AlignofType(type_name) => format!("(alignof <{}>)", self.type_name(type_name)),
            ExprKind::StatementExpr(block) => {
                let StmtKind::Block { items, .. } = self.unit.stmts[block].kind else {
                    return "?".to_owned();
                };
                let items: Vec<String> = self
                    .unit
                    .stmts_of(items)
                    .iter()
                    .map(|item| self.stmt(*item, 0).trim_end().replace('\n', "; "))
                    .collect();
                format!("({{{}}})", items.join("; "))
            }
            ExprKind::LabelAddress(label) => format!("(label {})", self.names.text(label.name)),
            ExprKind::Generic(generic) => {
                let generic = &self.unit.generics[generic];
                let show = |(type_name, value): &(Option<TypeNameId>, ExprId)| {
                    let name = type_name.map_or_else(|| "default".to_owned(), |name| self.type_name(name));
                    format!(" <{name}> {}", self.expr(*value))
                };
                format!(
                    "(generic {}{})",
                    self.expr(generic.control),
                    generic.associations.iter().map(show).collect::<String>()
                )
            }
            ExprKind::VaArg { list, type_name } => {
                format!("(va_arg {} <{}>)", self.expr(list), self.type_name(type_name))
            }
            ExprKind::Offsetof(offset) => {
                let offset = &self.unit.offsetofs[offset];
                format!(
                    "(offsetof <{}> {})",
                    self.type_name(offset.type_name),
                    self.designators(&offset.place)
                )
            }
            ExprKind::TypesCompatible(left, right) => {
                format!("(compatible <{}> <{}>)", self.type_name(left), self.type_name(right))
            }
            ExprKind::ChooseExpr { condition, then, otherwise } => {
                format!("(choose {} {} {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
        }
    }
}
