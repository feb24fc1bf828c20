//! Initialisers: the bytes that they make, compared with gcc.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::format_push_string, clippy::format_collect)] // brevity

mod check_common;

use cfa::DataModel;
use cfront::hir::{ExprKind, InitValue, Program, Projection, Variable};
use check_common::{Random, check_units, run_with_gcc};

/// Declarations of variables `v0`, `v1` … (the number is filled in for `@`).
const BY_HAND: &[&str] = &[
    "int @[] = { 1, 2, [5] = 3, 4, [1] = 9 };",
    "int @[8] = { [2 ... 5] = 7, 8, [0] = 1 };",
    "struct { int a, b[3]; char c; } @ = { 1, 2, 3, 4, 5 };",
    "struct { int a, b[3]; char c; } @[2] = { 1, { 2 }, 3, { .b[1] = 4, 5, 6 } };",
    "struct { struct { int x, y; } p[2]; int z; } @ = { .p[1].y = 1, 2, .p = { { 3 } }, .p[0].y = 4 };",
    "struct { struct { int x, y; } p; int z; } @ = { .p.x = 1, .p = { .y = 2 }, 3 };",
    "union { int a; char b[8]; } @[3] = { 1, { .b = \"abc\" }, { .b[1] = 5 } };",
    "union { int a; char b; } @ = { .a = 0x01020304, .b = 7 };",
    "struct { union { int a; char b; } u; int c; } @ = { .u.a = 0x01020304, .u.b = 7, .c = 1 };",
    "char @[2][4] = { \"abcdef\", { 'x', 'y' } };",
    "char @[] = { \"abc\" };",
    "unsigned char @[6] = \"\\377b\";",
    "unsigned @[] = U\"ab\";",
    "unsigned short @[4] = u\"ab\";",
    "struct { char s[4]; int n; } @[] = { \"ab\", 1, { \"cd\" }, { { 'e' }, 2 } };",
    "struct { unsigned a : 3, b : 5; int : 4; unsigned c : 9; _Bool d : 1; } @ = { 9, 40, 700, 2 };",
    "struct { int a; struct { int b; union { int c; char d; }; }; int e; } @ = { 1, { 2, { 3 } }, 4 };",
    "struct { int a; struct { int b; union { int c; char d; }; }; int e; } @ = { .d = 5, 6, .b = 1 };",
    "struct { int a; struct { int b, c; }; int e; } @ = { .c = 5, 6 };",
    "int @[2][2][2] = { 1, 2, { 3 }, [1][0] = { 4, 5 }, 6 };",
    "int @[2][3] = { [0 ... 1][1 ... 2] = 5, [1] = { [0] = 2 } };",
    "struct { struct { int a, b; } s[3]; } @ = { .s[0 ... 1] = { 1, 2 }, .s[1].b = 3, 4 };",
    "int @ = { 3 };",
    "int @[3] = { };",
    "struct { int a; } @ = { { 4 } };",
    "double @[] = { 1, 2.5f, 0x1p-2, -0.0, 1e400 };",
    "float @[2] = { 16777217, 0.1 };",
    "long double @ = 3;",
    "_Bool @[] = { 5, 0.5, 0, (void *)1 != 0 };",
    "char @[] = { 300, -1, 'a' };",
    "struct { char a; long long b; } @[2] = { { 1, -1 }, 2 };",
    "struct { int a[2]; } @[] = { [1].a[1] = 1, 2, 3 };",
    "struct { int a, b, c; } @ = { c: 1, a: 2, 3 };",
    "int @[4] = { 1, 2, 3, 4, 5, 6 };",
    "struct { int e[0]; int a; } @ = { { }, 5 };",
    "struct { struct { } e; int a; } @ = { { }, 5 };",
    "union { struct { char a, b; } s; int i; } @[2] = { 1, 2, 3, 4 };",
    "struct { int a; int b[2]; } @[2] = { [0].b = { 1, 2 }, [0].b[0] = 5, [1] = { 7 }, };",
    "int @[] = { [3] = 1, [1] = 2, 3 };",
];

/// A type for random initialisers.
enum Shape {
    Scalar(&'static str),
    Array(u64, Box<Shape>),
    Record(&'static str, Vec<Shape>),
}

fn random_shape(random: &mut Random, depth: u32) -> Shape {
    let scalars = ["char", "short", "int", "long long", "unsigned char", "_Bool"];
    if depth == 0 {
        return Shape::Scalar(scalars[random.below(scalars.len() as u64) as usize]);
    }
    match random.below(4) {
        0 => random_shape(random, 0),
        1 => Shape::Array(1 + random.below(3), Box::new(random_shape(random, depth - 1))),
        _ => {
            let keyword = if random.below(5) == 0 { "union" } else { "struct" };
            let members = (0..=random.below(3)).map(|_| random_shape(random, depth - 1)).collect();
            Shape::Record(keyword, members)
        }
    }
}

/// The shape as a declaration of a name.
fn declare(shape: &Shape, name: &str) -> String {
    match shape {
        Shape::Scalar(ty) => format!("{ty} {name}"),
        Shape::Array(length, elem) => declare(elem, &format!("{name}[{length}]")),
        Shape::Record(keyword, members) => {
            let members: String = members
                .iter()
                .enumerate()
                .map(|(index, member)| format!("{}; ", declare(member, &format!("m{index}"))))
                .collect();
            format!("{keyword} {{ {members}}} {name}")
        }
    }
}

fn random_number(random: &mut Random) -> String {
    (1 + random.below(120)).to_string()
}

/// A list in braces for a shape.
fn random_list(shape: &Shape, random: &mut Random, depth: u32) -> String {
    let mut items = Vec::new();
    for _ in 0..=random.below(4) {
        if random.below(3) > 0 || matches!(shape, Shape::Scalar(_)) {
            items.push(random_number(random));
            continue;
        }
        let mut designator = String::new();
        let mut current = shape;
        loop {
            match current {
                Shape::Scalar(_) => break,
                Shape::Array(length, elem) => {
                    let first = random.below(*length);
                    let last = first + random.below(*length - first);
                    if last > first && random.below(2) == 0 {
                        designator += &format!("[{first} ... {last}]");
                    } else {
                        designator += &format!("[{first}]");
                    }
                    current = elem;
                }
                Shape::Record(_, members) => {
                    let index = random.below(members.len() as u64) as usize;
                    designator += &format!(".m{index}");
                    current = &members[index];
                }
            }
            if random.below(2) == 0 {
                break;
            }
        }
        let value = if depth > 0 && random.below(2) == 0 {
            random_list(current, random, depth - 1)
        } else {
            random_number(random)
        };
        items.push(format!("{designator} = {value}"));
    }
    format!("{{ {} }}", items.join(", "))
}

/// The bytes of a variable after its initialiser.
fn image(program: &Program, variable: &Variable) -> Vec<u8> {
    let types = &program.types;
    let mut bytes = vec![0; types.size_of(variable.ty).unwrap() as usize];
    for item in &variable.init.as_ref().unwrap().items {
        let (mut ty, mut offset, mut bits) = (variable.ty, 0, None);
        for step in &item.path {
            match step {
                Projection::Index(index) => {
                    ty = types.array(ty).unwrap().0;
                    offset += index * types.size_of(ty).unwrap();
                }
                Projection::Field(field) => {
                    let field = &types.records[types.record(ty).unwrap()].fields[*field as usize];
                    (ty, bits) = (field.ty, field.bits);
                    offset += field.offset;
                }
            }
        }
        let offset = offset as usize;
        match &item.value {
            InitValue::Bytes(text) => {
                bytes[offset..offset + types.size_of(ty).unwrap() as usize].fill(0);
                bytes[offset..offset + text.len()].copy_from_slice(text);
            }
            InitValue::Expr(value) => {
                let size = types.size_of(ty).unwrap() as usize;
                let value = match &program.exprs[*value].kind {
                    ExprKind::Int(value) => *value as u128,
                    ExprKind::Float(bits) => *bits,
                    ExprKind::Convert(inner) => converted(program, *inner, ty),
                    other => panic!("{}: {other:?}", variable.name),
                };
                match bits {
                    None => {
                        let size = size.min(16);
                        bytes[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
                    }
                    Some(bits) => {
                        for bit in 0..usize::from(bits.width) {
                            let place = offset * 8 + usize::from(bits.bit) + bit;
                            bytes[place / 8] &= !(1 << (place % 8));
                            bytes[place / 8] |= ((value >> bit & 1) as u8) << (place % 8);
                        }
                    }
                }
            }
        }
    }
    bytes
}

/// Conversions to and from floating point are left to the program; these are the ones above.
fn converted(program: &Program, inner: cfront::hir::ExprId, ty: cfront::types::TypeId) -> u128 {
    let types = &program.types;
    let value = match &program.exprs[inner].kind {
        ExprKind::Int(value) => *value as f64,
        ExprKind::Float(bits) => match types.scalar(program.exprs[inner].ty).unwrap() {
            cfa::Ty::Float(cfa::FloatKind::Single) => f64::from(f32::from_bits(*bits as u32)),
            _ => f64::from_bits(*bits as u64),
        },
        other => panic!("{other:?}"),
    };
    match types.scalar(ty).unwrap() {
        cfa::Ty::BOOL => u128::from(value != 0.0),
        cfa::Ty::Float(cfa::FloatKind::Single) => u128::from((value as f32).to_bits()),
        cfa::Ty::Float(cfa::FloatKind::Double) => u128::from(value.to_bits()),
        // Only 3 as a `long double`.
        cfa::Ty::Float(_) => 0x4000_C000_0000_0000_0000,
        other => panic!("{other}"),
    }
}

fn compare(name: &str, declarations: &[String]) {
    for (model, flag) in [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")] {
        let text = declarations.join("\n");
        let program = check_units(&[&text], model).unwrap();
        let mut code = format!("#include <stdio.h>\n{text}\nint main(void) {{ size_t i;\n");
        for number in 0..declarations.len() {
            code += &format!(
                "for (i = 0; i < sizeof v{number}; i++) printf(\"%02x\", ((unsigned char *)&v{number})[i]); puts(\"\");\n"
            );
        }
        code += "return 0; }\n";
        let Some(lines) = run_with_gcc(&format!("{name}{flag}"), &code, flag) else { continue };
        let mut wrong = Vec::new();
        for (number, gcc) in lines.iter().enumerate() {
            let variable =
                program.variables.iter().find(|variable| *variable.name == *format!("v{number}")).unwrap();
            let ours: String = image(&program, variable).iter().map(|byte| format!("{byte:02x}")).collect();
            if *gcc != ours {
                wrong.push(format!("{flag} {}\n    gcc  {gcc}\n    ours {ours}", declarations[number]));
            }
        }
        println!("{flag}: {} variables", lines.len());
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    }
}

#[test]
fn initializers_by_hand_make_gcc_bytes() {
    let declarations: Vec<String> =
        BY_HAND.iter().enumerate().map(|(number, text)| text.replace('@', &format!("v{number}"))).collect();
    compare("initializers", &declarations);
}

#[test]
fn random_initializers_make_gcc_bytes() {
    let mut random = Random(5);
    let declarations: Vec<String> = (0..500)
        .map(|number| {
            let shape =
                Shape::Record("struct", vec![random_shape(&mut random, 3), random_shape(&mut random, 3)]);
            let list = random_list(&shape, &mut random, 3);
            format!("{} = {list};", declare(&shape, &format!("v{number}")))
        })
        .collect();
    compare("random_initializers", &declarations);
}
