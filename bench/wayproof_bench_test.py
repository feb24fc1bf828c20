"""Tests of the measuring commands. What needs the binary or the suites says why it is skipped."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

BENCH = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH))
from wayproof_bench import checker_mutants, cli, compare, definition, engines, guard, horn, mutants, output, peers, plots, profile, records, results, runner, svg, tables, tasks, weave
from wayproof_bench.records import Record

REPORT = """UNKNOWN: recursion, or more code than is inlined at /a/b.c:12:11
  12 | int m = T(m0);
statistics:
  tests: 3
  tree nodes: 17
RESULT: unknown
""".splitlines()


def record(task: str, status: str, cpu: float = 1.0, expected: str = "true", suite: str = "s", **more: str) -> Record:
    return Record(config=more.pop("config", "gps"), suite=suite, task=task, expected=expected, status=status, cpu_s=cpu,
                  wall_s=cpu, peak_mb=20.0, **more)


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def quiet(self, command, arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = command([str(argument) for argument in arguments])
        return code, out.getvalue()

    def fake_tool(self, body: str) -> Path:
        """A program that stands for the binary; `$file` is the C file."""
        path = self.folder / "fake"
        path.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo wayproof 0; exit; }\nfor file; do :; done\n' + body, encoding="utf-8")
        path.chmod(0o755)
        return path

    def own_tasks(self, verdicts: dict) -> Path:
        folder = self.folder / "mine"
        folder.mkdir()
        (folder / "unreach-call.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n", encoding="utf-8")
        for name, expected in verdicts.items():
            (folder / f"{name}.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
            (folder / f"{name}.yml").write_text(
                f"format_version: '2.0'\n# a comment\ninput_files: '{name}.c'\nproperties:\n  - property_file: no-overflow.prp\n"
                f"    expected_verdict: false\n  - property_file: unreach-call.prp\n    expected_verdict: {expected}\n"
                "options:\n  language: C\n  data_model: LP64\n", encoding="utf-8")
        return folder


class Output(unittest.TestCase):
    def test_the_last_result_line_counts_and_must_agree_with_the_exit_code(self):
        self.assertEqual(output.status(["RESULT: unknown", "RESULT: true"], 0, None), "true")
        self.assertEqual(output.status(["RESULT: false(unreach-call)"], 10, None), "false(unreach-call)")
        self.assertTrue(output.status(["RESULT: true"], 10, None).startswith("ERROR"))
        self.assertEqual(output.status(["RESULT: true"], 6, None), "ERROR (internal)")
        self.assertTrue(output.status(["RESULT: perhaps"], 0, None).startswith("ERROR"))
        self.assertEqual(output.status([], None, 11), "KILLED BY SIGNAL 11")

    def test_reason_without_place_and_statistics_by_name(self):
        self.assertEqual(output.reason(REPORT), "recursion, or more code than is inlined")
        self.assertEqual(output.statistic(REPORT, "tree nodes"), "17")
        self.assertIsNone(output.statistic(REPORT, "covers"))


class Records(Folder):
    def test_outcomes(self):
        cases = {("true", "true"): "solved", ("true", "false"): "wrong", ("false(unreach-call)", "false"): "solved",
                 ("false(unreach-call)", "true"): "wrong", ("true", ""): "answered", ("TIMEOUT", "true"): "timeout",
                 ("TIMEOUT (true)", "true"): "timeout", ("OUT OF MEMORY", "true"): "out of memory", ("unknown", "true"): "unknown",
                 ("ERROR (internal)", "true"): "error", ("KILLED BY SIGNAL 9", "true"): "error"}
        for (status, expected), outcome in cases.items():
            self.assertEqual(record("t", status, expected=expected).outcome, outcome, (status, expected))

    def test_a_file_is_sorted_and_later_rows_win(self):
        path = self.folder / "r.csv"
        records.save(path, [record("b", "true"), record("a", "unknown", reason='why, "so"'), record("b", "TIMEOUT")])
        rows = records.load(path)
        self.assertEqual([(row.task, row.status) for row in rows], [("a", "unknown"), ("b", "TIMEOUT")])
        self.assertEqual(rows[0].reason, 'why, "so"')
        self.assertEqual(os.listdir(self.folder), ["r.csv"])

    def test_comparison_finds_gains_losses_and_wrong_verdicts(self):
        before = [record("won", "unknown"), record("lost", "true"), record("bad", "true", expected="true"), record("same", "true", 2.0)]
        after = [record("won", "true"), record("lost", "TIMEOUT"), record("bad", "false(unreach-call)"), record("same", "true", 1.0)]
        found = compare.Comparison(before, after)
        self.assertEqual([pair[0].task for pair in found.gained], ["won"])
        self.assertEqual(sorted(pair[0].task for pair in found.lost), ["bad", "lost"])
        self.assertEqual([pair[0].task for pair in found.wrong_after], ["bad"])
        self.assertAlmostEqual(found.ratio(), 0.5)
        records.save(self.folder / "a.csv", before)
        records.save(self.folder / "b.csv", after)
        code, text = self.quiet(cli.compare_runs, [self.folder / "a.csv", self.folder / "b.csv"])
        self.assertEqual(code, 1)
        self.assertIn("newly solved: 1", text)
        self.assertIn("wrong in B: 1", text)
        with self.assertRaises(tasks.UsageError):
            compare.read(self.folder / "nothing.csv")


class Tasks(Folder):
    def test_a_folder_of_your_own_is_read(self):
        found = tasks.find(str(self.own_tasks({"one": "true", "two": "false"})))
        self.assertEqual([(task.name, task.expected, task.data_model) for task in found], [("one", "true", "LP64"), ("two", "false", "LP64")])
        self.assertEqual(found[0].program.name, "one.c")
        with self.assertRaises(tasks.UsageError):
            tasks.find("no-such-suite")

    def test_shards_are_a_partition(self):
        every = tasks.find(str(self.own_tasks({f"t{number}": "true" for number in range(7)})))
        parts = [tasks.shard(every, index, 3) for index in (1, 2, 3)]
        self.assertEqual(sorted(task.name for part in parts for task in part), [task.name for task in every])
        self.assertEqual(max(map(len, parts)) - min(map(len, parts)), 1)
        with self.assertRaises(tasks.UsageError):
            tasks.shard(every, 4, 3)

    def test_the_committed_definition_is_what_the_command_writes(self):
        if not tasks.all_suites():
            self.skipTest(f"no suites in {tasks.bench_folder()}")
        if "WAYPROOF_BENCH" in os.environ:
            self.skipTest("the committed definition names ../shared/bench")
        committed = ElementTree.parse(BENCH / "wayproof.xml").getroot()
        if sorted(suite.get("name") for suite in committed.iter("tasks")) != sorted(tasks.all_suites()):
            self.skipTest("other suites than those of the committed definition")
        path = BENCH / f"wayproof.{os.getpid()}.xml"
        self.addCleanup(path.unlink)
        self.quiet(cli.run, ["all", "--define", path])
        self.assertEqual(path.read_text(encoding="utf-8"), (BENCH / "wayproof.xml").read_text(encoding="utf-8"))
        ElementTree.parse(path)


class BuiltinRunner(Folder):
    def measure(self, body: str, verdicts: dict, *more):
        arguments = [self.own_tasks(verdicts), "--binary", self.fake_tool(body), "--runner", "builtin", "--out", self.folder / "out", *more]
        # BenchExec's tables would need the network.
        original, runner.Runner.html = runner.Runner.html, lambda self, title: None
        self.addCleanup(setattr, runner.Runner, "html", original)
        code, text = self.quiet(cli.run, arguments)
        return code, text, {row.task: row for row in records.load(self.folder / "out" / "results.csv")}

    def test_verdicts_reasons_and_wrong_ones(self):
        body = 'case "$file" in *safe.c) echo RESULT: true; exit 0;; *) echo UNKNOWN: too hard at x.c:1:2; echo RESULT: unknown; exit 5;; esac\n'
        code, text, rows = self.measure(body, {"safe": "true", "unsafe": "false", "open": "true"}, "--jobs", "2")
        self.assertEqual({task: row.outcome for task, row in rows.items()}, {"safe": "solved", "unsafe": "wrong", "open": "unknown"})
        self.assertEqual(rows["open"].reason, "too hard")
        self.assertEqual(code, 1)
        self.assertIn("WRONG: mine/unsafe", text)
        results_file = next((self.folder / "out" / "runs").glob("*.results.*.xml"))
        again = runner.read_xml(results_file, "gps", tasks.find(str(self.folder / "mine")))
        self.assertEqual(sorted((row.task, row.status) for row in again), sorted((row.task, row.status) for row in rows.values()))

    def test_a_run_is_ended_at_its_limit_of_time(self):
        code, _, rows = self.measure("while :; do :; done\n", {"endless": "true"}, "--time", "1")
        self.assertEqual((code, rows["endless"].outcome), (0, "timeout"))
        self.assertLess(rows["endless"].cpu_s, 4)

    @unittest.skipUnless(Path("/proc/self/stat").exists(), "needs /proc")
    def test_a_run_is_ended_at_its_limit_of_memory(self):
        body = f"exec {sys.executable} -c 'import time; block = bytearray(200000000); time.sleep(20)'\n"
        _, _, rows = self.measure(body, {"large": "true"}, "--memory", "100")
        self.assertEqual(rows["large"].outcome, "out of memory")

    def test_shards_merge_to_the_whole_and_gaps_are_noticed(self):
        folder = self.own_tasks({f"t{number}": "true" for number in range(5)})
        tool = self.fake_tool("echo RESULT: true\n")
        original, runner.Runner.html = runner.Runner.html, lambda self, title: None
        self.addCleanup(setattr, runner.Runner, "html", original)
        out = self.folder / "parts"
        common = ["2", folder, "--binary", tool, "--runner", "builtin", "--out", out]
        self.assertEqual(self.quiet(cli.shard, ["1", *common])[0], 0)
        with self.assertRaises(tasks.UsageError):
            self.quiet(cli.merge, [out])
        self.assertEqual(self.quiet(cli.shard, ["2", *common])[0], 0)
        self.assertEqual(self.quiet(cli.merge, [out])[0], 0)
        self.assertEqual(len(records.load(out / "results.csv")), 5)
        about = json.loads((out / "shard-1-of-2.json").read_text(encoding="utf-8"))
        (out / "shard-1-of-2.json").write_text(json.dumps({**about, "limits": "other"}), encoding="utf-8")
        with self.assertRaises(tasks.UsageError):
            self.quiet(cli.merge, [out])

    def test_the_array_job_passes_its_number_on(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SLURM")}
        job = [str(BENCH / "slurm.sh"), "no-such-suite"]
        done = subprocess.run(job, env={**environment, "TASK_INDEX": "1", "TASK_COUNT": "2"}, stderr=subprocess.PIPE, check=False)
        self.assertIn(b"no-such-suite", done.stderr)
        done = subprocess.run(job, env=environment, stderr=subprocess.PIPE, check=False)
        self.assertIn(b"TASK_INDEX", done.stderr)


class Peers(Folder):
    def test_a_proof_by_eva_is_an_ended_analysis_that_never_calls_the_error(self):
        ended = "[eva:summary] ====== ANALYSIS SUMMARY ======\n"
        self.assertTrue(peers.proves(f"[eva] computing for function f <- main.\n{ended}"))
        self.assertFalse(peers.proves(f"[eva] computing for function reach_error <- main.\n{ended}"))
        self.assertFalse(peers.proves(f"[eva] using specification for function __assert_fail\n{ended}"))
        self.assertFalse(peers.proves("[kernel] User Error: syntax\n"))

    def test_limits_end_a_peer(self):
        limits = definition.Limits(1, 500)
        ended = peers.execute(["sh", "-c", "while :; do :; done"], limits, self.folder)
        self.assertEqual(ended.status(True, limits), "TIMEOUT")
        ended = peers.execute(["sh", "-c", "echo sat; exit 3"], limits, self.folder)
        self.assertEqual((ended.text, ended.code, ended.status(True, limits), ended.status(False, limits)), ("sat\n", 3, "true", "unknown"))


class Results(Folder):
    def rows(self):
        family = [record(f"lese-{n:05}", "false(unreach-call)", n / 1000, "false", "gps-lock-and-key", tree_nodes=str(n), solver_queries="7")
                  for n in (10, 100, 1000)]
        return family + [record("a", "true", 0.5, suite="gps-svcomp"), record("b", "unknown", 0.1, suite="gps-svcomp", reason="why: where"),
                         record("c", "TIMEOUT", 60, suite="gps-svcomp")]

    def pages(self) -> Path:
        """The main page; that of the GPS paper lies in the folder of the raw numbers."""
        (self.folder / "res").mkdir()
        for path, names in ((self.folder / "page.md", results.MAIN_BLOCKS), (self.folder / "res" / results.GPS_PAGE, results.GPS_BLOCKS)):
            path.write_text("mine\n" + "".join(f"<!-- generated:{name} -->\n<!-- end:{name} -->\n" for name in names), encoding="utf-8")
        return self.folder / "page.md"

    def test_finished_runs_are_not_repeated_and_other_binaries_are_noticed(self):
        folder = self.own_tasks({"one": "true", "two": "true"})
        tool = self.fake_tool(f'echo "$file" >> {self.folder}/log\necho RESULT: true\n')
        original, runner.Runner.html = runner.Runner.html, lambda self, title: None
        self.addCleanup(setattr, runner.Runner, "html", original)
        page = self.pages()
        command = ["--suites", folder, "--configs", "auto", "--binary", tool, "--runner", "builtin", "--out", self.folder / "res",
                   "--page", page, "--scratch", self.folder / "scratch"]
        for _ in range(2):
            self.assertEqual(self.quiet(results.main, command)[0], 0)
        self.assertEqual(len((self.folder / "log").read_text(encoding="utf-8").splitlines()), 2)
        with self.assertRaises(tasks.UsageError):
            self.quiet(results.main, [*command, "--time", "5"])
        self.assertEqual(self.quiet(results.main, [*command, "--time", "5", "--fresh"])[0], 0)
        self.assertEqual(len((self.folder / "log").read_text(encoding="utf-8").splitlines()), 4)
        text = page.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("mine\n"))
        self.assertIn("| mine | 2 | 2 | 0 |", text)
        self.assertIn("5 s CPU", text)

    def test_wide_runs_have_other_properties_and_horn_clauses(self):
        original, runner.Runner.html = runner.Runner.html, lambda self, title: None
        self.addCleanup(setattr, runner.Runner, "html", original)
        bench, props, systems = self.folder / "bench", self.folder / "props", self.folder / "chc" / "lin"
        bench.mkdir()
        props.mkdir()
        systems.mkdir(parents=True)
        self.own_tasks({"one": "true"}).rename(props / "mine")
        (bench / "suite").mkdir()
        (bench / "suite" / "two.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
        (bench / "suite" / "two.yml").write_text(
            "input_files: 'two.c'\nproperties:\n  - property_file: unreach-call.prp\n    expected_verdict: true\n", encoding="utf-8")
        for name, verdict in (("a", "sat"), ("b", "unsat")):
            (systems / f"{name}.smt2").write_text("(check-sat)\n", encoding="utf-8")
        (systems.parent / "systems.csv").write_text("folder,system,verdict,source\nlin,a,sat,x\nlin,b,unsat,x\n", encoding="utf-8")
        page = self.pages()
        # As `wayproof horn` it answers sat whatever it is given: b is then a wrong answer.
        tool = self.fake_tool('[ "$1" = horn ] && { echo sat; exit; }\ncase "$*" in *no-overflow*) echo "RESULT: false(no-overflow)"; exit 10;; esac\n'
                              'echo RESULT: true\n')
        before = os.environ.get("WAYPROOF_BENCH")
        os.environ["WAYPROOF_BENCH"] = str(bench)
        self.addCleanup(lambda: os.environ.pop("WAYPROOF_BENCH") if before is None else os.environ.update(WAYPROOF_BENCH=before))
        code, text = self.quiet(results.main, ["--quick", "--suites", "suite", "--binary", tool, "--runner", "builtin", "--out",
                                               self.folder / "res", "--page", page, "--scratch", self.folder / "scratch"])
        self.assertEqual(code, 1)
        self.assertIn("WRONG: wayproof on lin/b: true, expected false", text)
        written = page.read_text(encoding="utf-8")
        self.assertIn("| no-overflow | 1 | 1 | 0 | none |", written)
        self.assertIn("| lin | 2 | 1 | 1 |", written)
        self.assertIn("Of 1 tasks 1 are solved, 0 verdicts are wrong.", written)

    def test_the_first_line_of_a_horn_solver_is_its_answer(self):
        tool = self.folder / "solver"
        for output_text, status in (("sat\nunsat\n", "true"), ("unsat\n", "false"), ("satisfied\n", "unknown"), ("", "unknown")):
            tool.write_text(f"#!/bin/sh\nprintf '{output_text}'\n", encoding="utf-8")
            tool.chmod(0o755)
            found = horn.run(horn.spacer(tool, 5, 1000), horn.System("lin", self.folder / "s.smt2", "true"))
            self.assertEqual((found.config, found.status), ("spacer", status))

    def test_only_what_is_between_markers_changes(self):
        page = "head\n<!-- generated:a -->\nold\n<!-- end:a -->\ntail\n"
        self.assertEqual(results.rewrite(page, {"a": r"new \1"}), "head\n<!-- generated:a -->\n\nnew \\1\n\n<!-- end:a -->\ntail\n")
        with self.assertRaises(tasks.UsageError):
            results.rewrite(page, {"b": "x"})

    def test_tables_count_what_is_there(self):
        rows = self.rows()
        self.assertIn("| gps-svcomp | 3 | 1 | 0 | 1 timeout; 1 why | 0.500 | 0.500 | 60.6 | 20 |", tables.suites(rows))
        self.assertIn("| lese | 3 of 3, N = 10 to 1000 | 0.01 to 1.00 (N^1.00) | 10 to 1000 (N^1.00) | 7 to 7 (N^0.00) |", tables.scaling(rows))
        self.assertIn("`c` | true | TIMEOUT", tables.unsolved(rows))
        ablation = tables.ablation({"gps": rows, "impact": rows[:4], "cra": rows[1:]})
        self.assertIn("| gps-svcomp | 3 | **1** | 60.6 | **1** of 1 | 0.5 | **1** | 60.6 |", ablation)
        self.assertIn("on the 3 tasks", ablation)

    def test_the_reference_is_compared_task_by_task(self):
        path = self.folder / "reference.csv"
        path.write_text("task,expected,gps_status,gps_cpu_s,veriabs_status,veriabs_cpu_s\na,safe,KILLED,9,true,4\n"
                        "b,safe,true,1,unknown,2\nc,safe,true,3,true,5\nnot-ours,safe,true,1,true,1\n", encoding="utf-8")
        text = tables.against_reference([record(name, status, suite="gps-svcomp") for name, status in
                                         [("a", "true"), ("b", "unknown"), ("c", "true")]], tables.reference(path))
        self.assertIn("| wayproof | 3 | 2 |", text)
        self.assertIn("| GPS (authors) | 3 | 2 | 0 | 1 out of memory |", text)
        self.assertIn("Solved there, not by Wayproof (1): `b`.", text)
        self.assertIn("Only Wayproof solves (0): none.", text)

    def test_plots_are_well_formed_and_deterministic(self):
        rows = self.rows()
        texts = [chart.text() for chart in [*plots.scaling(rows).values(), *plots.scaling_by_config({"gps": rows}, 60).values(),
                                            plots.cactus("<&>", {"gps": rows, "none": []}, 60), plots.scatter("t", rows, rows, "n", 60)]]
        texts.append(plots.overlap("t", ["a", "b", "c"], [rows, rows, rows]))
        self.assertEqual(len(texts), 7)
        for text in texts:
            ElementTree.fromstring(text)
        self.assertEqual(texts[0], next(iter(plots.scaling(self.rows()).values())).text())

    def test_axes_have_a_handful_of_ticks(self):
        for high in (1, 7, 9, 40, 49, 58, 153, 220, 1000):
            ticks = svg.Axis("n", 0, high).ticks()
            self.assertTrue(3 <= len(ticks) <= 10, (high, ticks))
        self.assertEqual(svg.log_axis("s", [0.02, 30], 0.01).ticks(), [0.01, 0.1, 1.0, 10.0, 100.0])


class Engines(unittest.TestCase):
    def test_who_contributes_what_is_told_by_what_others_do_not_decide(self):
        measured = {
            "gps": [record("a", "true", 0.5), record("b", "TIMEOUT"), record("c", "TIMEOUT"), record("d", "unknown")],
            "kind": [record("a", "true"), record("b", "true"), record("c", "false(unreach-call)"), record("d", "unknown")],
            "auto-no-exchange": [record("a", "true"), record("b", "TIMEOUT"), record("c", "TIMEOUT"), record("d", "unknown")],
            "auto": [record("a", "true"), record("b", "TIMEOUT"), record("c", "TIMEOUT"), record("d", "true")],
        }
        text = engines.table(measured)
        self.assertIn("| `gps` | 1 | 1 | 0 | 0 | 0.5 | 0 | 0 |", text)
        self.assertIn("| `kind` | 2 | 2 | 0 | 1 | 2.0 | 1 | 1 |", text)
        self.assertIn("Decided by `auto`, by no engine alone: s/d.", text)
        self.assertIn("Decided by an engine alone, not by `auto`: s/b.", text)
        self.assertIn("Decided by `auto`, not without exchange: s/d.", text)


class Profile(unittest.TestCase):
    def test_the_time_of_a_stage_is_its_own(self):
        begin = lambda name, at: {"name": name, "ph": "B", "ts": at, "tid": 1}
        end = lambda name, at: {"name": name, "ph": "E", "ts": at, "tid": 1}
        query = {"name": "query", "ph": "X", "ts": 2000, "dur": 1000, "tid": 1}
        found = profile.stages([begin("search", 0), begin("test", 1000), query, end("test", 5000), end("search", 10000), begin("cut", 10000)])
        self.assertEqual((found["search"].own, found["test"].own, found["cut"].own), (6.0, 4.0, 0.0))
        self.assertEqual((found["test"].queries, found["test"].solving), (1, 1.0))
        self.assertIn("| search | 1 | 6.0 | 60 % |", profile.table("t", found))
        text = profile.overview([("a", found), ("b", found)])
        self.assertTrue(text.startswith("| task | ms | search | test | cut | solver | queries |"), text)
        self.assertIn("| `a` | 10 | 60 % | 40 % | 0 % | 10 % | 1 |", text)
        self.assertIn("| all | 20 | 60 % | 40 % | 0 % | 10 % | 2 |", text)


CALLGRIND = """version: 1
events: Ir
ob=(1) /bin/tool
fn=(1) main
12 100
+3 20
cob=(2) /lib/libz3.so
cfn=(2) solve
calls=7 0
* 5000
ob=(2)
fn=(2)
1 3000
cob=(1)
cfn=(1)
calls=1 0
2 77
ob=(1)
fn=(3) helper
* 5
"""


class Guard(Folder):
    KEY = {"architecture": "x", "compiler": "c", "solver": "z", "profile": "dev"}

    def test_costs_of_callees_are_counted_once(self):
        self.assertEqual(guard.read_counts(CALLGRIND, "/bin/tool"), (3125, 125))
        with self.assertRaises(tasks.UsageError):
            guard.read_counts("events: Ir\n", "/bin/tool")

    def test_growth_of_own_code_is_not_hidden_by_the_solver(self):
        grown, shrunk = guard.judge({"a": guard.Count(1040, 140)}, {"a": guard.Count(1000, 100)}, 10)
        self.assertEqual((grown, shrunk), (["a, own code: 100 to 140 instructions (+40.0 %)"], []))
        grown, shrunk = guard.judge({"a": guard.Count(500, 105), "new": guard.Count(1, 1)}, {"a": guard.Count(1000, 100)}, 10)
        self.assertEqual((grown, shrunk), (["new has no reference"], ["a: 1,000 to 500 instructions (-50.0 %)"]))

    def test_the_reference_of_another_combination_stays(self):
        path = self.folder / "counts.json"
        guard.save(path, guard.load(path), self.KEY, {"a": guard.Count(2, 1)})
        guard.save(path, guard.load(path), {**self.KEY, "solver": "y"}, {"a": guard.Count(3, 1)})
        guard.save(path, guard.load(path), self.KEY, {"a": guard.Count(4, 1)})
        self.assertEqual([(entry["for"]["solver"], entry["counts"]["a"]["all"]) for entry in guard.load(path)], [("y", 3), ("z", 4)])
        path.write_text("[", encoding="utf-8")
        with self.assertRaises(tasks.UsageError):
            guard.load(path)

    def test_growth_fails_no_reference_does_not(self):
        path = self.folder / "counts.json"
        binary = self.fake_tool("exit 0\n")
        command = ["--binary", binary, "--reference", path, "--profile", "dev"]
        counts = {task.name: guard.Count(100, 50) for task in guard.GUARDED}
        changes = {"measure": lambda *_: counts, "combination": lambda *_: self.KEY}
        for name, change in changes.items():
            self.addCleanup(setattr, guard, name, getattr(guard, name))
            setattr(guard, name, change)
        which, guard.shutil.which = guard.shutil.which, lambda name: name
        self.addCleanup(setattr, guard.shutil, "which", which)
        self.assertEqual(self.quiet(guard.main, command)[0], 0)
        self.assertEqual(self.quiet(guard.main, [*command, "--update"])[0], 0)
        self.assertEqual(self.quiet(guard.main, command)[0], 0)
        counts["summaries"] = guard.Count(112, 50)
        code, text = self.quiet(guard.main, command)
        self.assertEqual(code, 1)
        self.assertIn("summaries: 100 to 112 instructions (+12.0 %)", text)
        guard.shutil.which = lambda name: None
        self.assertEqual(self.quiet(guard.main, command)[0], guard.SKIPPED)

    def test_the_tasks_are_there(self):
        for task in guard.GUARDED:
            self.assertNotIn("@", task.text())


HEAD = """- entry_type: {kind}
  metadata:
    format_version: "2.0"
    task:
      input_files:
        - "a.c"
      input_file_hashes:
        "a.c": "{hash}"
      specification: "G ! call(reach_error())"
      data_model: LP64
      language: C
  content:
"""


def invariant(line: int, value: str) -> str:
    return (f"    - invariant:\n        type: loop_invariant\n        location:\n          file_name: \"a.c\"\n          line: {line}\n"
            f"          column: 5\n        value: \"{value}\"\n        format: c_expression\n")


def segment(kind: str, line: int, value: str = "") -> str:
    constraint = f"            constraint:\n              value: \"\\\\result == {value}\"\n              format: acsl_expression\n" if value else ""
    return (f"    - segment:\n        - waypoint:\n            type: {kind}\n            action: follow\n{constraint}"
            f"            location:\n              file_name: \"a.c\"\n              line: {line}\n              column: 33\n")


CORRECTNESS = HEAD.format(kind="invariant_set", hash="0" * 64) + invariant(3, "i >= 0 && i <= 10 && (long long)s == 2") + invariant(9, "k == 1")
VIOLATION = (HEAD.format(kind="violation_sequence", hash="a" * 64) + segment("function_return", 3, "-5") + segment("function_return", 4, "7")
             + segment("target", 5))


class Mutants(Folder):
    def test_every_kind_changes_the_text_in_one_way(self):
        for text, expected in ((CORRECTNESS, {"negated", "trivial", "removed", "weakened", "constant", "relation", "strengthened", "swapped"}),
                               (VIOLATION, {"value", "relation", "removed", "repeated", "any value", "swapped", "target", "false assumption"})):
            found = mutants.mutants(text, random.Random(3), "other")
            kinds = [mutant.kind for mutant in found]
            self.assertEqual(set(kinds), expected | {"hash", "function", "data model", "other program", "line", "column"})
            self.assertEqual(len(kinds), len(set(kinds)))
            self.assertEqual([mutant.kind for mutant in found if mutant.text == text], [])
            self.assertEqual(found, mutants.mutants(text, random.Random(3), "other"))

    def test_conjuncts_are_those_outside_of_parentheses(self):
        self.assertEqual(mutants.conjuncts("a && (b && c) && d"), ["a", "(b && c)", "d"])
        self.assertEqual(mutants.conjuncts("a && b || c"), ["a && b || c"])

    def test_statements_are_woven_into_the_text(self):
        text = ("int f(void); // while (\nint main() {\n    while (f()) { }\n    for (int i = 0; ; i++) { }\n    do { f(); } while (0);\n"
                "    int x = f();\n    if (x) reach_error();\n}\nvoid reach_error() { }\n")
        stated = [weave.Stated(weave.Place(line, 5), True, "v") for line in (3, 4, 5)] + [weave.Stated(weave.Place(6, None), False, "w")]
        woven = weave.invariants(text, stated).splitlines()
        check = "((({0})) ? (void)0 : __mutant_error())"
        self.assertEqual(woven[3:7], [f"    while ( ({check.format('v')}, (f()))) {{ }}", f"    for (int i = 0; ({check.format('v')}, (1)); i++) {{ }}",
                                      f"    do {{ f(); }} while ( ({check.format('v')}, (0)));", f"    {check.format('w')}; int x = f();"])
        woven = weave.violation(text, [weave.Returned(weave.Place(6, 15), ("==", -3))], weave.Place(7, 12))
        self.assertIn("if (x) (__mutant_state == 1 ? __mutant_error() : __builtin_trap());", woven)
        self.assertIn("if (__mutant_state == 0) { if ((__mutant_value < 0 && (long long)__mutant_value == (-3LL))) __mutant_state++; }", woven)
        self.assertIn("void reach_error() { }", woven)
        for target in (weave.Place(6, None), weave.Place(7, 5)):
            with self.assertRaises(weave.Unsure):
                weave.violation(text, [], target)
        with self.assertRaises(weave.Unsure):
            weave.invariants(text, [weave.Stated(weave.Place(6, 5), True, "1")])

    def test_a_false_mutant_that_is_confirmed_is_wrong(self):
        folder = self.own_tasks({"a": "true"})
        (folder / "a.c").write_text("int main(void) {\n    int i = 0;\n    while (i < 3) i++;\n    return 0;\n}\n", encoding="utf-8")
        witness = CORRECTNESS.replace(invariant(9, "k == 1"), "")
        # Everything is confirmed, and no program is decided.
        tool = self.fake_tool(f"""case "$1" in
  validate) echo CONFIRMED; exit 0;;
  check) while [ $# -gt 1 ]; do [ "$1" = --witness ] && cat > "$2" <<'END' && exit 0
{witness}END
  shift; done; echo UNKNOWN; exit 5;;
esac
""")
        code, text = self.quiet(mutants.main, [folder, "--binary", tool, "--each", "3", "--jobs", "1", "--keep", self.folder / "kept"])
        self.assertEqual(code, 1, text)
        self.assertEqual(text.count("WRONG: mine/a, "), 3, text)
        self.assertEqual(len(list((self.folder / "kept").iterdir())), 3)


class CheckerMutants(unittest.TestCase):
    def test_the_mutants_of_a_function_are_arms_of_one_match(self):
        text = "fn less(a: u8) -> bool {\n    a < 3\n}\nfn more() {}\n"
        start, body = text.index("<"), (text.index("{") + 1, text.index("}"))
        mutants = [checker_mutants.Mutant(number, new, Path("a.rs"), start, start + 1, new, body) for number, new in [(4, ">"), (7, "==")]]
        woven, lines = checker_mutants.with_arms(text, mutants)
        for number, new in [(4, ">"), (7, "==")]:
            self.assertIn(f"{number} => {{\n\n    a {new} 3\n", woven)
        self.assertIn("_ => {\n    a < 3\n}", woven)
        self.assertTrue(woven.endswith("fn more() {}\n"))
        for first, last, number in lines:
            self.assertTrue(woven.split("\n")[first - 1].startswith(f"{number} => {{"))
            self.assertEqual(woven.split("\n")[last - 2], "}")

    def test_a_line_and_column_are_found(self):
        text = "ab\ncde\n"
        self.assertEqual(text[checker_mutants.offset([0, 3, 7], {"line": 2, "column": 2}, text)], "d")


class Scale(Folder):
    def test_every_shape_is_a_program_of_about_so_many_lines(self):
        compiler = shutil.which("cc")
        for shape in ("drivers", "functions", "machine", "ifs", "straight"):
            for fault in ([], ["--unsafe"]):
                made = subprocess.run([BENCH / "scale", "1000", "--shape", shape, *fault], check=True, capture_output=True, text=True)
                self.assertLess(abs(len(made.stdout.splitlines()) - 1000), 100, shape)
                if compiler:
                    subprocess.run([compiler, "-x", "c", "-fsyntax-only", "-"], input=made.stdout, check=True, text=True)


class RealTool(Folder):
    def test_mutants_of_gps_safe(self):
        binary = os.environ.get("WAYPROOF")
        if not binary or not Path(binary).exists():
            self.skipTest("WAYPROOF does not name a binary")
        if "gps-safe" not in tasks.all_suites():
            self.skipTest(f"no suite gps-safe in {tasks.bench_folder()}")
        code, text = self.quiet(mutants.main, ["gps-safe", "--binary", binary])
        self.assertEqual(code, 0, text)

    def test_two_shards_of_gps_safe(self):
        binary = os.environ.get("WAYPROOF")
        if not binary or not Path(binary).exists():
            self.skipTest("WAYPROOF does not name a binary")
        if "gps-safe" not in tasks.all_suites():
            self.skipTest(f"no suite gps-safe in {tasks.bench_folder()}")
        original, runner.Runner.html = runner.Runner.html, lambda self, title: None
        self.addCleanup(setattr, runner.Runner, "html", original)
        for index in ("1", "2"):
            self.quiet(cli.shard, [index, "2", "gps-safe", "--time", "10", "--runner", "builtin", "--out", self.folder])
        code, text = self.quiet(cli.merge, [self.folder])
        self.assertEqual(code, 0, text)
        self.assertTrue(text.startswith("9 tasks: 9 solved"), text)


if __name__ == "__main__":
    unittest.main()
