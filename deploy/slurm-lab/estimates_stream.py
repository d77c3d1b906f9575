"""A stream of requests whose users have habits: drawn once from a seed, submitted anywhere."""
import dataclasses
import random

USERS = 4
KINDS_EACH = 2  # of jobs that a user submits again and again
SHORTEST, LONGEST = 0.15, 0.6  # of its limit that a kind of job really takes
SCATTER = 0.12  # of single jobs around that
LESSONS = 5  # of each kind, before anything is measured


@dataclasses.dataclass(frozen=True)
class Kind:
    """What one user submits again and again."""

    user: str
    number: int
    nodes: int
    cpus: int  # of each node
    limit_m: int
    share: float  # of the limit, on average

    @property
    def name(self):
        return f"{self.user}-{self.number}"


@dataclasses.dataclass(frozen=True)
class Request:
    """One job: when it is submitted, after the stream's beginning, and how long it really runs."""

    at_s: float
    kind: Kind
    seconds: float
    local: bool  # of the cluster's own users, by sbatch on either side


def kinds_of(draw, limits):
    """What all users have."""
    return [Kind(f"user{user}", number, draw.choice((1, 1, 2)), draw.choice((1, 2, 4)),
                 draw.choice(limits), draw.uniform(SHORTEST, LONGEST))
            for user in range(1, USERS + 1) for number in range(1, KINDS_EACH + 1)]


def seconds_of(draw, kind):
    return round(kind.limit_m * 60 * kind.share * draw.uniform(1 - SCATTER, 1 + SCATTER), 1)


def lessons(seed, limits):
    """Jobs from which run times are learned: seconds by kind."""
    draw = random.Random(seed)
    kinds = kinds_of(draw, limits)
    return [(kind, seconds_of(draw, kind)) for kind in kinds for _ in range(LESSONS)]


def stream(seed, limits, count, local_share, load, cores):
    """Requests whose work keeps `cores` busy `load` times over while they are submitted."""
    kinds = kinds_of(random.Random(seed), limits)
    draw = random.Random(f"{seed} stream")
    at, out = 0.0, []
    for _ in range(count):
        kind = draw.choice(kinds)
        seconds = seconds_of(draw, kind)
        out.append(Request(round(at, 1), kind, seconds, draw.random() < local_share))
        at += seconds * kind.nodes * kind.cpus / (cores * load)
    return out
