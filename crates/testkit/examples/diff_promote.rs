//! scratch
use base::Budget;
use cfa::{DataModel, EdgeId, ProcId, Program, SignedOverflow, VarId};
use interp::*;
use passes::{InlineConfig, inline, promote, propagate, resolve_calls};
use testkit::differential::options_for;
use testkit::verdicts::Dialect;
use testkit::{Model, generate_program};
struct Log {
    out: Vec<(String, String)>,
    all: bool,
    last: String,
}
impl Observer for Log {
    fn leave(&mut self, _: &View<'_>, _: ProcId, _: EdgeId) {}
    fn enter(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.last = format!("{:?}", view.program().procs[proc].edges()[edge].origin.region);
    }
    fn wrote(&mut self, view: &View<'_>, to: Written, value: Value) {
        if let Written::Var(var) = to {
            let name = view.program().vars[var].name.to_string();
            if !name.starts_with('%') && (self.all || name == "checksum") {
                self.out.push((format!("{name} @{}", self.last), value.to_string()));
            }
        }
    }
}
fn run(p: &Program, inputs: &[i128]) -> (Outcome, Vec<(String, String)>) {
    let mut inputs = inputs.iter();
    let mut oracle = |request: &Request<'_>| match request.source {
        cfa::Source::Input { .. } => Some(Choice::Int(inputs.next().copied().unwrap_or(0))),
        _ => Some(Choice::Int(77)),
    };
    let code = Code::new(p, CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Edges });
    let mut machine = Machine::new(p, &code, Config::default());
    let mut log = Log { out: vec![], all: true, last: String::new() };
    let run = machine.run(&mut oracle, &mut log, &mut std::io::sink(), &mut Budget::ticks(20_000_000));
    (run.outcome, log.out)
}
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let model = if seed % 3 == 2 { Model::Ilp32 } else { Model::Lp64 };
    let data_model = if model == Model::Ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
    let dialect = Dialect { data_model, signed_overflow: SignedOverflow::Undefined };
    let program = generate_program(seed, &options_for(seed, model));
    let inputs = program.inputs.clone();
    let program = testkit::verdicts::judge::compile(&program.text, dialect).unwrap();
    let points_to = cfa::pointsto::PointsTo::new(&program, cfa::pointsto::Punning::Any);
    let (program, _) = resolve_calls(&program, &points_to);
    let limits = InlineConfig { max_edges: 100_000, ..InlineConfig::default() };
    let p = propagate(&inline(&program, &limits).program).0;
    let (q, _) = promote(&p);
    let _ = VarId(0);
    let (a, b) = (run(&p, &inputs), run(&q, &inputs));
    println!("{} / {}", a.0, b.0);
    // only vars in both
    let keep = |l: &Vec<(String, String)>, names: &std::collections::BTreeSet<String>| {
        l.iter().filter(|(n, _)| names.contains(n)).cloned().collect::<Vec<_>>()
    };
    let na: std::collections::BTreeSet<String> = a.1.iter().map(|x| x.0.clone()).collect();
    let nb: std::collections::BTreeSet<String> = b.1.iter().map(|x| x.0.clone()).collect();
    let names: std::collections::BTreeSet<String> = na.intersection(&nb).cloned().collect();
    let (x, y) = (keep(&a.1, &names), keep(&b.1, &names));
    for (i, (l, r)) in x.iter().zip(&y).enumerate() {
        if l != r {
            println!("{i}: {l:?} vs {r:?}");
            for k in i.saturating_sub(6)..i {
                println!("   before {:?}", x[k]);
            }
            return;
        }
    }
    println!("same {} {}", x.len(), y.len());
}
