//! scratch
use cfa::{DataModel, SignedOverflow};
use passes::{InlineConfig, inline, promote, propagate, resolve_calls};
use testkit::differential::options_for;
use testkit::verdicts::Dialect;
use testkit::{Model, generate_program};
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let model = if seed % 3 == 2 { Model::Ilp32 } else { Model::Lp64 };
    let data_model = if model == Model::Ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
    let dialect = Dialect { data_model, signed_overflow: SignedOverflow::Undefined };
    let program = generate_program(seed, &options_for(seed, model));
    println!("{}", program.text);
    let program = testkit::verdicts::judge::compile(&program.text, dialect).unwrap();
    let points_to = cfa::pointsto::PointsTo::new(&program, cfa::pointsto::Punning::Any);
    let (program, _) = resolve_calls(&program, &points_to);
    let limits = InlineConfig { max_edges: 100_000, ..InlineConfig::default() };
    let p = propagate(&inline(&program, &limits).program).0;
    println!("=====\n{}", cfa::text::print(&p));
    let (q, _) = promote(&p);
    println!("=====\n{}", cfa::text::print(&q));
}
