"""Prints promised against real start of every job in a file of muster.job/1 documents.

The documents stand one a line or pretty-printed. Exit 1 if a job did not end well, or started
after its first promise without a cause on record.
"""
import json
import sys
from datetime import datetime


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def documents(text):
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        while at < len(text) and text[at].isspace():
            at += 1
        if at < len(text):
            document, at = decoder.raw_decode(text, at)
            yield document["job"]


def main():
    bad = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        jobs = list(documents(file.read()))
    print(f"{'JOB':<5}{'NAME':<9}{'SITES':<19}{'PROMISED':<11}"
          f"{'STARTED':<14}{'EARLIER BY':>10}  KEPT")
    for job in jobs:
        promises = [c["figures"]["starts_by"] for c in job["history"] if c["figures"]["starts_by"]]
        starts = [moment(p["started_at"]) for p in job["parts"] if p["started_at"]]
        sites = " ".join(sorted({p["site"] for p in job["parts"] if p["site"]}))
        if not promises or len(starts) < len(job["parts"]) or job["outcome"] != "done":
            print(f"{job['id']:<5}{job['name']:<9}{sites:<19}"
                  f"ended as {job['outcome'] or job['state']}")
            bad += 1
            continue
        promised, started = moment(promises[0]["at"]), max(starts)
        late = (started - promised).total_seconds()
        causes = [c["cause"]["code"] for c in job["history"] if c["cause"]]
        kept = "yes" if late <= 0 else ", ".join(causes) or "NO"
        bad += kept == "NO"
        print(f"{job['id']:<5}{job['name']:<9}{sites:<19}{promised:%H:%M:%S}   "
              f"{started:%H:%M:%S}.{started.microsecond // 1000:03d}  {-late:>8.1f} s  {kept}")
    print(f"{len(jobs) - bad} of {len(jobs)} jobs ended well and by their first promise")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
