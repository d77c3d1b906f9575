"""Rows of a site beside a cluster with 10,000 jobs of others."""
import os
import statistics
import subprocess
import time

from ground import CALLS, Line, calls, federation_of, median, say, site_of, slurm, until

CROWD = 10_000
BESIDE = 10  # that run as well, so that the one which changes is not the only one to ask for
SECONDS = 60  # a multiple of what lies between two passes of backfill
LOOKS = 16
STARTS = 3
TICKS = os.sysconf("SC_CLK_TCK")


def prepare(lab):
    """10,000 held jobs, some that run, and one more, whose limit is what changes; its id."""
    for _ in range(BESIDE):
        local_job(lab)
    job = local_job(lab)
    until(lambda: len(slurm(lab, "hills", "squeue", "-h", "-tR").splitlines()) == BESIDE + 1,
          "all run")
    say(f"submitting {CROWD} jobs")
    calls(lab, "hills", "crowd", CROWD)
    return job


def local_job(lab):
    return slurm(lab, "hills", "sbatch", "--parsable", "--output=/dev/null", "-n1", "-t60",
                 "--wrap=sleep 3000")


def up(lab):
    return federation_of(lab, site_of(lab, "hills", "25000-25999", walls="each"))


def first_look(lab, live):
    """From the start of its daemon until the meta says that the site is up; beside one squeue."""
    values, references = [], []
    for _ in range(STARTS):
        live.stop("hills")
        until(lambda: live.states() != {"hills": "up"}, "the site is gone")
        begin = time.monotonic()
        live.start("hills")
        until(lambda: live.states() == {"hills": "up"}, "the site is up", look_s=0.01)
        values.append(time.monotonic() - begin)
        begin = time.monotonic()
        slurm(lab, "hills", "squeue", "-h")
        references.append(time.monotonic() - begin)
    Line("slurm_first_look", median(values), "s", median(references), 3, 1, "value").show()


def busy_s(pid):
    """Seconds of processor that a process has taken."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def percent_of(pids, lab, job):
    """Of one core, while the limit of a job changes each second."""
    before = [busy_s(pid) for pid in pids]
    subprocess.run([CALLS, "toggle", str(SECONDS), job], env=lab.environment("hills"), check=True)
    return [(busy_s(pid) - then) / SECONDS * 100 for pid, then in zip(pids, before)]


def end_seen(live, job):
    """When the site says that the job's booking ends."""
    for site in live.muster("--json", "gantt", "--site", "hills").json()["sites"]:
        for row in site["bookings"]:
            if row["job"].startswith(f"slurm {job} "):
                return row["end"]
    return None


def seen(lab, live, job):
    """What a site adds to what its controller takes by itself for the same changes; then how soon
    it knows of each, beside what one load of all jobs takes."""
    controller = lab.running()["hills/slurmctld"]
    live.stop("hills")
    alone = percent_of([controller], lab, job)[0]
    live.start("hills")
    until(lambda: live.states() == {"hills": "up"}, "the site is up")
    time.sleep(3)
    both = percent_of([controller, live.processes["hills"].pid], lab, job)
    say(f"controller alone {alone:.2f} %, with the site {both[0]:.2f} %, site {both[1]:.2f} %")
    Line("slurm_seen", sum(both) - alone, "% of a core", alone, 5, 3.3, "value").show()
    changes = [seen_after(lab, live, job, number) for number in range(LOOKS)]
    starts = [seen_to_begin(lab, live) for _ in range(LOOKS)]
    for waits, what in ((changes, "a changed limit"), (starts, "a job that began")):
        say(f"{what}: seen within p50 {statistics.median(waits):.2f} s, "
            f"at most {max(waits):.2f} s")
    waits = changes + starts
    load = subprocess.run([CALLS, "load", "9"], env=lab.environment("hills"), check=True,
                          capture_output=True, text=True).stdout
    Line("slurm_seen_within", max(waits), "s", float(load), 1.2, 1.1, "value").show()


def seen_after(lab, live, job, number):
    before = end_seen(live, job)
    slurm(lab, "hills", "scontrol", "update", f"JobId={job}", f"TimeLimit={90 + number}")
    begin = time.monotonic()
    until(lambda: end_seen(live, job) != before, "the change is seen", 10, 0.02)
    waited = time.monotonic() - begin
    time.sleep(0.37)  # so that changes fall anywhere between two looks
    return waited


def seen_to_begin(lab, live):
    """From when the controller says that a new job runs; then that is ended."""
    job = local_job(lab)
    until(lambda: slurm(lab, "hills", "squeue", "-h", "-tR", "-j", job), "it runs", 30, 0.01)
    begin = time.monotonic()
    until(lambda: end_seen(live, job) is not None, "its begin is seen", 10, 0.02)
    waited = time.monotonic() - begin
    slurm(lab, "hills", "scancel", job)
    time.sleep(0.53)
    return waited
