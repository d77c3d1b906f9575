"""Sums of the campus demonstration, worked out without the federation: what work costs, what each
account was charged, what each site gave and took, and who had which share.

Nothing here asks the daemons anything. Credits are whole millionths and times whole milliseconds,
as in the ledger; a price is rounded half up once for each part.
"""

import collections
import dataclasses
from fractions import Fraction

CREDIT = 1_000_000
HOUR_MS = 3_600_000


@dataclasses.dataclass(frozen=True)
class Terms:
    """What work costs. `cheap`: (from, to, multiple) in milliseconds since 1970."""

    rate: int  # credits an hour of one processor
    qos: dict  # multiples by name
    sites: dict  # multiples by name
    cheap: tuple = ()

    def weighted_ms(self, begin, end):
        """Milliseconds from `begin` to `end`, each counted with the multiple of its hour."""
        total = Fraction(max(end - begin, 0))
        for first, last, times in self.cheap:
            inside = max(min(end, last) - max(begin, first), 0)
            total += inside * (Fraction(times) - 1)
        return total

    def price(self, cpus, begin, end, qos, site):
        """Millionths of a credit for so many processors from `begin` to `end`."""
        exact = (self.rate * CREDIT * cpus * self.weighted_ms(begin, end)
                 * Fraction(self.qos.get(qos, 1)) * Fraction(self.sites.get(site, 1)) / HOUR_MS)
        return int(exact + Fraction(1, 2))

    def least(self, cpus, length_ms, qos, site):
        """The least price, whatever the hour."""
        lowest = min([Fraction(1), *(Fraction(times) for *_, times in self.cheap)])
        exact = (self.rate * CREDIT * cpus * length_ms * lowest
                 * Fraction(self.qos.get(qos, 1)) * Fraction(self.sites.get(site, 1)) / HOUR_MS)
        return int(exact + Fraction(1, 2))


@dataclasses.dataclass(frozen=True)
class Piece:
    """What one part used: one row of everybody's sums."""

    job: str
    account: str
    qos: str
    site: str
    home: str  # of its user; "" without one
    cpus: int
    begin: int  # milliseconds since 1970
    end: int
    cap: int  # it may cost no more than this: what its user was told

    def cost(self, terms):
        return min(terms.price(self.cpus, self.begin, self.end, self.qos, self.site), self.cap)

    @property
    def had(self):
        """Processors x milliseconds."""
        return self.cpus * (self.end - self.begin)


def charges(pieces, terms):
    """{(job, site): millionths}, one posting for each part."""
    return collections.Counter({(p.job, p.site): p.cost(terms) for p in pieces})


def by(pieces, name, value):
    """Sum of `value(piece)` for each `name` of pieces."""
    sums = collections.Counter()
    for piece in pieces:
        sums[getattr(piece, name)] += value(piece)
    return sums


def given_and_taken(pieces, sites):
    """{site: (given, taken)} in processor-milliseconds. Whoever has no home is at home nowhere."""
    given, taken = collections.Counter(), collections.Counter()
    for piece in pieces:
        if piece.home not in ("", piece.site):
            given[piece.site] += piece.had
            taken[piece.home] += piece.had
    return {site: (given[site], taken[site]) for site in sites}


def shares(pieces, accounts):
    """{account: share of all that was had}; None where nobody had anything."""
    had = by(pieces, "account", lambda piece: piece.had)
    whole = sum(had.values())
    return {name: had[name] / whole if whole else None for name in accounts}


def most_at_once(pieces):
    """The most processors that the pieces had at one instant."""
    steps = sorted([(p.begin, p.cpus) for p in pieces] + [(p.end, -p.cpus) for p in pieces],
                   key=lambda step: (step[0], step[1]))
    at_once = most = 0
    for _, change in steps:
        at_once += change
        most = max(most, at_once)
    return most
