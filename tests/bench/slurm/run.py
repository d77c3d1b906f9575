"""bench_slurm [ROW...]: federations beside real clusters of Slurm, each figure beside what bare
Slurm does in the same run. One JSON line a row on stdout; `bounded` says whether at_least and aim
are bounds of the value or of the ratio.

rows: slurm_submit slurm_walled slurm_start_error slurm_quote slurm_small slurm_first_look
      slurm_seen (slurm_seen and slurm_seen_within)
and, only when named: estimates, which is deploy/slurm-lab/estimates --compressed (ten minutes)

Clusters are brought up in a temporary folder, and nothing of them is left. Needs root, and Slurm
and munge of Debian. All of it takes some seven minutes.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from clusters import PACKAGES, Cluster, LabError, missing
import crowd_rows
import driver_rows
import federation_rows
from ground import BIN, Failure, Line, lab_of, say

SOURCE = pathlib.Path(__file__).resolve().parents[3]
APART = SOURCE / "tests/e2e/apart.sh"
ESTIMATES = SOURCE / "deploy/slurm-lab/estimates"
INSIDE = "MUSTER_BENCH_APART"
CROWDED = "MaxJobCount=20000\n"
DRIVER = {"slurm_submit": driver_rows.submit, "slurm_walled": driver_rows.walled,
          "slurm_start_error": driver_rows.start_error}
FEDERATION = {"slurm_quote": federation_rows.quote, "slurm_small": federation_rows.small}
CROWD = ("slurm_first_look", "slurm_seen")
ROWS = (*DRIVER, *FEDERATION, *CROWD)
NAMED = ("estimates",)


def measure_driver(rows):
    with lab_of(Cluster("lakes", 0), Cluster("woods", 1, cpus=32)) as lab:
        for row in rows:
            DRIVER[row](lab)


def measure_federation(rows):
    with lab_of(Cluster("lakes", 0), Cluster("woods", 1)) as lab:
        with federation_rows.up(lab) as live:
            for row in rows:
                FEDERATION[row](lab, live)


def measure_crowd(rows):
    with lab_of(Cluster("hills", 0, more=CROWDED)) as lab:
        job = crowd_rows.prepare(lab)
        with crowd_rows.up(lab) as live:
            if "slurm_first_look" in rows:
                crowd_rows.first_look(lab, live)
            if "slurm_seen" in rows:
                crowd_rows.seen(lab, live, job)


def measure_estimates(_):
    """Mean absolute errors at submission: of what muster expects, beside what squeue says."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        with subprocess.Popen([ESTIMATES, "--compressed", "--programs", BIN, "--json", report.name],
                              stdout=sys.stderr) as estimates:
            try:
                if estimates.wait() != 0:
                    raise Failure(f"exit {estimates.returncode}")
            finally:
                estimates.terminate()  # what it started is gone before it is
        said = json.load(report)["error_first"]
    Line("estimates", said["expected"]["error_s"], "s", said["squeue"]["error_s"], 0.8, 0.5).show()


def measure(wanted):
    """Measures these rows; the exit status. A row that fails does not keep others from it."""
    status = 0
    for rows, how in ((DRIVER, measure_driver), (FEDERATION, measure_federation),
                      (CROWD, measure_crowd), (NAMED, measure_estimates)):
        chosen = [row for row in rows if row in wanted]
        try:
            if chosen:
                how(chosen)
        except (Failure, LabError, RuntimeError, AssertionError,
                subprocess.SubprocessError) as failure:
            say(f"{' '.join(chosen)}: {failure}")
            status = 1
    return status


def apart(words):
    """Goes on in a network namespace of its own, where that is permitted, so that ports are its
    own."""
    if os.environ.get(INSIDE) or subprocess.run(
            [APART, "true"], capture_output=True, check=False).returncode != 0:
        return
    os.environ[INSIDE] = "1"
    os.execv(APART, [str(APART), sys.executable, os.path.abspath(__file__), *words])


def main(words):
    if words and words[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    unknown = [word for word in words if word not in (*ROWS, *NAMED)]
    if unknown:
        print(f"bench: error[usage]: no row '{unknown[0]}'\n  help: {' '.join((*ROWS, *NAMED))}",
              file=sys.stderr)
        return 2
    if os.geteuid() != 0:
        say("only root can start clusters")
        return 1
    if missing():
        say(f"not installed: {', '.join(missing())}\n"
            f"  help: apt-get install --no-install-recommends {PACKAGES}")
        return 1
    apart(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # clusters are taken down on the way
    return measure(words or ROWS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
