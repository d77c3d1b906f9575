"""Rows of a live federation beside two clusters: `lakes` is set aside for it, `woods` keeps its own
users, and a reservation for each hold."""
import time

from ground import (ACCOUNT, Line, await_empty, calls, federation_of, median, set_aside, site_of,
                    slurm, until)

LOCAL_LIMITS = (3, 5, 8, 13, 21)  # minutes
WAITING = 15
MUSTER_JOBS = 48
BARE_JOBS = 160
PAIRS = 2


def up(lab):
    """The federation, which all rows of this kind share."""
    set_aside(lab, "lakes", "commons", "l-n[1-4]")
    return federation_of(lab, site_of(lab, "lakes", "25000-25999", walls="commons",
                                      commons=["commons"]),
                         site_of(lab, "woods", "26000-26999", walls="each"))


def quote(lab, live):
    """While four jobs of local users run in `woods` and fifteen wait there."""
    for number in range(4 + WAITING):
        slurm(lab, "woods", "sbatch", "--output=/dev/null", "--job-name=local", "-N1", "-n4",
              f"-t{LOCAL_LIMITS[number % len(LOCAL_LIMITS)]}", "--wrap=sleep 3000")
    until(lambda: len(slurm(lab, "woods", "squeue", "-h", "-tR").splitlines()) == 4, "they run")
    try:
        calls(lab, "woods", "quote", live.listen, live.keys["meta"], live.folder / "user.key")
    finally:
        lab.run("woods", "scancel", "--name=local")
        await_empty(lab, "woods")


def small(lab, live):
    """Jobs of `true` on 16 cores, from the first submission by command until the last has ended:
    through the federation in `lakes`, and by sbatch in `woods`."""
    values, references = [], []
    for _ in range(PAIRS):
        references.append(bare_rate(lab))
        values.append(muster_rate(live))
    Line("slurm_small", median(values), "1/s", median(references), 0.05, 0.3).show()


def bare_rate(lab):
    begin = time.monotonic()
    for _ in range(BARE_JOBS):
        slurm(lab, "woods", "sbatch", "--output=/dev/null", f"--uid={ACCOUNT}", "-n1", "-t1",
              "--wrap=true")
    await_empty(lab, "woods")
    return BARE_JOBS / (time.monotonic() - begin)


def muster_rate(live):
    begin = time.monotonic()
    for _ in range(MUSTER_JOBS):
        answer = live.muster("-q", "submit", "-t", "30s", "-l", "1:ncpus=1", "--site", "lakes",
                             "--", "true")
        assert answer.code == 0, answer
    until(lambda: not live.muster("--json", "queue").json()["jobs"], "all have ended")
    return MUSTER_JOBS / (time.monotonic() - begin)
