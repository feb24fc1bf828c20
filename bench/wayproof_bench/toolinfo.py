"""BenchExec tool-info module of Wayproof. Use it as `tool="wayproof_bench.toolinfo"` with this folder's parent on PYTHONPATH."""

from benchexec.tools.sv_benchmarks_util import get_data_model_from_task, ILP32, LP64
from benchexec.tools.template import BaseTool2

from wayproof_bench import output


class Tool(BaseTool2):
    """Wayproof, a software model checker for C."""

    def name(self):
        return "wayproof"

    def executable(self, tool_locator):
        return tool_locator.find_executable("wayproof")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="wayproof")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", "--format", "svcomp", *options]
        model = get_data_model_from_task(task, {ILP32: "ILP32", LP64: "LP64"})
        if model:
            command += ["--data-model", model]
        if task.property_file:
            command += ["--property", task.property_file]
        return [*command, task.single_input_file]

    def determine_result(self, run):
        return output.status(list(run.output), run.exit_code.value, run.exit_code.signal)

    def get_value_from_output(self, output_lines, identifier):
        lines = list(output_lines)
        if identifier == "reason":
            return output.reason(lines)
        return output.statistic(lines, identifier)
