//! Drops procedures, variables and expressions that nothing uses any more, and renumbers the rest in the old
//! order.

use base::{Idx, IndexVec};

use super::back::{BackTranslation, ContextId, Contexts, EdgeOrigin, LocationOrigin, ProcOrigin, VarOrigin};
use cfa::op::{Callee, Op};
use cfa::{Edge, Expr, ExprId, Exprs, ProcId, Procedure, Program, Var, VarId};

/// Renumbers a program without what it does not use.
pub fn compact(program: &Program) -> (Program, BackTranslation) {
    let usage = Usage::new(program);
    let mut renumbering = Renumbering {
        procs: renumber(&usage.procs),
        vars: renumber(&usage.vars),
        exprs: vec![None; program.exprs.len()],
    };
    let mut exprs = Exprs::new(program.data_model.pointer_width());
    for (id, expr) in program.exprs.iter() {
        if usage.exprs[id.index()] {
            renumbering.exprs[id.index()] = Some(exprs.add(renumbering.node(expr)));
        }
    }
    let (mut vars, mut var_origins) = (IndexVec::new(), IndexVec::new());
    for (id, var) in program.vars.iter_enumerated().filter(|(id, _)| usage.vars[*id]) {
        let owner = var.owner.map(|owner| renumbering.proc(owner));
        vars.push(Var { owner, ..var.clone() });
        var_origins.push(Some(VarOrigin { var: id, context: ContextId::ROOT }));
    }
    let (mut procs, mut origins) = (IndexVec::new(), IndexVec::new());
    for (id, procedure) in program.procs.iter_enumerated().filter(|(id, _)| usage.procs[*id]) {
        procs.push(renumbering.procedure(procedure));
        origins.push(ProcOrigin {
            proc: id,
            edges: procedure
                .edges()
                .iter_enumerated()
                .map(|(edge, content)| EdgeOrigin::whole(id, edge, content.ops.len()))
                .collect(),
            locations: procedure
                .locations
                .ids()
                .map(|location| Some(LocationOrigin { proc: id, location, context: ContextId::ROOT }))
                .collect(),
        });
    }
    let new = Program {
        data_model: program.data_model,
        signed_overflow: program.signed_overflow,
        checks: program.checks,
        excused: program.excused.clone(),
        sources: program.sources.clone(),
        exprs,
        vars,
        procs,
        entry: renumbering.proc(program.entry),
        approximations: program.approximations.clone(),
        spelling: program.spelling.clone(),
    };
    (new, BackTranslation::new(origins, var_origins, Contexts::default()))
}

/// What is reachable from the entry procedure.
struct Usage {
    procs: IndexVec<ProcId, bool>,
    vars: IndexVec<VarId, bool>,
    exprs: Vec<bool>,
}

impl Usage {
    fn new(program: &Program) -> Self {
        let mut usage = Self {
            procs: IndexVec::filled(false, program.procs.len()),
            vars: IndexVec::filled(false, program.vars.len()),
            exprs: vec![false; program.exprs.len()],
        };
        let mut pending = vec![program.entry];
        usage.procs[program.entry] = true;
        while let Some(proc) = pending.pop() {
            let procedure = &program.procs[proc];
            for var in procedure.params.iter().chain(&procedure.results) {
                usage.vars[*var] = true;
            }
            for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
                op.vars().for_each(|var| usage.vars[var] = true);
                for target in op.call_targets() {
                    usage.use_proc(*target, &mut pending);
                }
                for root in op.exprs() {
                    usage.use_expr(program, root, &mut pending);
                }
            }
        }
        usage
    }

    fn use_proc(&mut self, proc: ProcId, pending: &mut Vec<ProcId>) {
        if !std::mem::replace(&mut self.procs[proc], true) {
            pending.push(proc);
        }
    }

    fn use_expr(&mut self, program: &Program, root: ExprId, procs: &mut Vec<ProcId>) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut self.exprs[id.index()], true) {
                continue;
            }
            let expr = program.exprs.get(id);
            match *expr {
                Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } => {
                    self.vars[var] = true;
                }
                Expr::Function { proc } => self.use_proc(proc, procs),
                _ => {}
            }
            pending.extend(expr.operands());
        }
    }
}

fn renumber<I: Idx>(used: &IndexVec<I, bool>) -> IndexVec<I, Option<I>> {
    let mut next = 0;
    let number = |used: &bool| {
        used.then(|| {
            next += 1;
            I::new(next - 1)
        })
    };
    used.iter().map(number).collect()
}

struct Renumbering {
    procs: IndexVec<ProcId, Option<ProcId>>,
    vars: IndexVec<VarId, Option<VarId>>,
    exprs: Vec<Option<ExprId>>,
}

impl Renumbering {
    fn proc(&self, proc: ProcId) -> ProcId {
        self.procs[proc].expect("a procedure that is used should be kept")
    }
    fn var(&self, var: VarId) -> VarId {
        self.vars[var].expect("a variable that is used should be kept")
    }
    fn expr(&self, expr: ExprId) -> ExprId {
        self.exprs[expr.index()].expect("an expression that is used should be kept")
    }
    fn node(&self, expr: &Expr) -> Expr {
        let mut expr = expr.map_operands(|operand| self.expr(operand));
        match &mut expr {
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } => {
                *var = self.var(*var);
            }
            Expr::Function { proc } => *proc = self.proc(*proc),
            _ => {}
        }
        expr
    }
    fn procedure(&self, old: &Procedure) -> Procedure {
        let mut new = Procedure::new(old.name.clone(), old.region);
        new.params = old.params.iter().map(|var| self.var(*var)).collect();
        new.results = old.results.iter().map(|var| self.var(*var)).collect();
        (new.entry, new.exit, new.error) = (old.entry, old.exit, old.error);
        for (location, info) in old.locations.iter_enumerated() {
            if location.index() < new.locations.len() {
                new.locations[location] = *info;
            } else {
                new.add_location(*info);
            }
        }
        for edge in old.edges() {
            let ops = edge.ops.iter().map(|op| self.op(op)).collect();
            new.add_edge(Edge { ops, ..edge.clone() });
        }
        new
    }
    fn op(&self, op: &Op) -> Op {
        let mut op = op.map(|expr| self.expr(expr), |var| self.var(var));
        if let Op::Call { callee, .. } = &mut op {
            match callee {
                Callee::Direct(target) => *target = self.proc(*target),
                Callee::Indirect { targets, .. } => {
                    for target in targets {
                        *target = self.proc(*target);
                    }
                }
            }
        }
        op
    }
}
