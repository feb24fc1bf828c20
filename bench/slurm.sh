#!/bin/sh
# An array job: every element measures one part of the task set.
#   bench/run --setup                                    (once, on a node with network: BenchExec and the binary)
#   sbatch --array=1-100 bench/slurm.sh sv-loops sv-locks --time 900 --memory 15000
#   bench/merge bench-out                                (when all are done)
# Options for sbatch (partition, account) go before the script. Without SLURM: set TASK_INDEX and TASK_COUNT yourself.
#SBATCH --job-name=wayproof
#SBATCH --cpus-per-task=1
#SBATCH --mem=16G
#SBATCH --time=08:00:00
set -eu
index="${SLURM_ARRAY_TASK_ID:-${TASK_INDEX:?neither SLURM_ARRAY_TASK_ID nor TASK_INDEX is set}}"
count="${SLURM_ARRAY_TASK_COUNT:-${TASK_COUNT:?neither SLURM_ARRAY_TASK_COUNT nor TASK_COUNT is set}}"
# SLURM runs a copy of this script from elsewhere, in the folder of submission.
bench="${WAYPROOF_CLONE:-${SLURM_SUBMIT_DIR:-$(dirname "$0")/..}}/bench"
exec "$bench/shard" "$index" "$count" "$@"
