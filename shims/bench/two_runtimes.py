"""Runs calls_bench over two runtimes and prints their times side by side, for the bench-* scripts of ./dev bench."""
import collections
import json
import os
import statistics
import subprocess
import sys


def measure(build, first, second, names):
    """{name: (first's, second's)} in ns of processor time, medians of 15 repetitions. A runtime is (path, prefix)."""
    program = "aoti_cts_calls_bench"
    done = subprocess.run(["cmake", "--build", build, "--target", program], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout[-4000:]}\n{program} could not be built")
    run = subprocess.run([os.path.join(build, "shims/bench", program), *first, *second,
                          f"--benchmark_filter=^({'|'.join(names)})/", "--benchmark_format=json",
                          "--benchmark_repetitions=15", "--benchmark_min_time=0.02",
                          "--benchmark_enable_random_interleaving=true"],
                         stdout=subprocess.PIPE, text=True, check=True)
    times = collections.defaultdict(list)
    for row in json.loads(run.stdout)["benchmarks"]:
        if row["run_type"] == "iteration":
            times[row["run_name"]].append(row["cpu_time"])
    return {name: tuple(statistics.median(times[f"{name}/{side}"]) for side in ("first", "second")) for name in names}


def print_table(build, first, second, rows, titles):
    """`rows` are (benchmark, text); `titles` names the two runtimes."""
    times = measure(build, first, second, [name for name, _ in rows])
    ratio = f"{titles[1]} / {titles[0]}"
    print(f"{'':<50}{titles[0]:>14}{titles[1]:>14}{ratio:>24}")
    for name, text in rows:
        one, other = times[name]
        print(f"{text:<50}{one:11,.1f} ns{other:11,.1f} ns{other / one:22.2f} x")
