use base::Budget;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let seconds: u64 = args.get(2).map_or(10, |s| s.parse().unwrap());
    let mut terms = term::Terms::new();
    let system = match horn::read(&mut terms, &text) {
        Ok(s) => s,
        Err(e) => {
            println!("error {e} ({})", e.help);
            return;
        }
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(seconds);
    let mut budget = Budget::unlimited().with_deadline(Some(deadline));
    smt::keep_contexts();
    let z3 = smt::Z3::new(smt::Z3Settings {
        arithmetic: if std::env::var("LP").is_ok() { smt::Arithmetic::Lp } else { smt::Arithmetic::Simplex },
        ..Default::default()
    });
    let answer = horn::solve(&mut terms, &system, &z3, &mut budget);
    let stats = z3.statistics();
    match answer {
        horn::Answer::Sat(_) => println!("sat {stats:?}"),
        horn::Answer::Unsat(d) => println!("unsat {} {stats:?}", d.steps.len()),
        horn::Answer::Unknown(r) => println!("unknown {r} {stats:?}"),
    }
    std::process::exit(0);
}
