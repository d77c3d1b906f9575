"""Rows of the driver alone, without daemons: slurm_calls measures, this prepares the cluster."""
from ground import await_empty, calls, set_aside, shared_of, slurm, until


def submit(lab):
    """On `lakes`: two nodes for the driver, two for bare calls, and a job that keeps each busy."""
    set_aside(lab, "lakes", "commons", "l-n[1-2]")
    set_aside(lab, "lakes", "bare", "l-n[3-4]")
    for number in range(4):
        slurm(lab, "lakes", "sbatch", "--output=/dev/null", "--job-name=busy",
              f"--reservation={'commons' if number < 2 else 'bare'}", f"-wl-n{number + 1}", "-n4",
              "-t60", "--wrap=sleep 3000")
    until(lambda: len(slurm(lab, "lakes", "squeue", "-h", "-tR").splitlines()) == 4, "all run")
    try:
        calls(lab, "lakes", "submit", shared_of(lab), "l")
    finally:
        lab.run("lakes", "scancel", "--name=busy")
        await_empty(lab, "lakes", "--name=busy")
        for name in ("commons", "bare"):
            slurm(lab, "lakes", "scontrol", "delete", f"ReservationName={name}")


def walled(lab):
    calls(lab, "woods", "walled", shared_of(lab), "w")


def start_error(lab):
    calls(lab, "woods", "start_error", shared_of(lab), "w")
