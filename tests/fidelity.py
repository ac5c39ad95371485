#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How true is the model? The figures for every recording of a folder whose policy is known.

    tests/fidelity.py build/cpuidle-replay ../shared/traces [NAME...]
    tests/fidelity.py --masked build/tests/tools/mask-check ../shared/traces

Per recording: how many of our verdicts equal the kernel's cpu_idle_miss events, how many of the record's decisions the
verification run makes as well, and what the simulated baseline comes to against the record. Then, for workloads recorded
on a kernel without and with a patch, the predicted change against the measured one. --masked: how far the shares of every
recording with all events are off when some kinds of event are left out, by kinds.
"""
import json
import os
import subprocess
import sys

BASE_73 = "menu@7.3-override-residency-threshold-override-exit-latency"
POLICIES = (  # first match wins: part of the name, begin of the name, policy
    ("DAMAGED", "", None), ("quiet", "", None), ("uptime", "", None),
    ("teo", "", "teo@7.3"),
    ("v3", "ppc61own", "menu@6.1.192+override-residency-threshold"),
    ("", "ppc61own", "menu@6.1.192"), ("", "a61", "menu@6.1.192"),
    ("", "ppc61", "menu@6.1.176"), ("", "x612", "menu@6.12.117"), ("", "x61", "menu@6.1.192"),
    ("v3", "", "menu@7.3-override-exit-latency"), ("upstream", "", "menu@7.3"),
    ("", "", BASE_73))
PAIRS = (
    ("ppc61own-icount-base-instr-mix", "ppc61own-icount-v3-instr-mix"),
    ("ppc73-icount-base-instr-mix", "ppc73-icount-v3-instr-mix"),
    ("ppc73-icount-base-instr-sweep", "ppc73-icount-v3-instr-sweep"),
    ("ppc73-icount-base-instr-sweep", "ppc73-icount-upstream-instr-sweep"),
    ("x73-icount-base-instr-cst20-mix", "x73-icount-v3-instr-cst20-mix"),
    ("ppc61own-icount-base-instr-pipe", "ppc61own-icount-v3-instr-pipe"),
    ("ppc73-icount-base-instr-pipe", "ppc73-icount-v3-instr-pipe"),
    ("ppc73-icount-base-instr-pipe", "ppc73-icount-upstream-instr-pipe"),
    ("ppc73-icount-base-plain-min-pipe", "ppc73-icount-v3-plain-min-pipe"),
    ("x73-icount-base-instr-cst20-pipe", "x73-icount-v3-instr-cst20-pipe"))


def policy_of(name):
    for part, begin, policy in POLICIES:
        if part in name and name.startswith(begin):
            return policy
    return None


class Recordings:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, name, command, *options):
        path = os.path.join(self.folder, name)
        argv = [self.program, command, f"{path}/trace.dat", "--platform", f"{path}/before.txt",
                "--format", "json", *options]
        return json.loads(subprocess.run(argv, check=True, capture_output=True).stdout)


def percent(part, whole):
    return 100 * part / whole if whole else float("nan")


def shares(run):
    total = run["total"]
    return percent(total["above"], total["usage"]), percent(total["below"], total["usage"])


def judged_alike(result):
    check = result.get("miss_check")
    return f"{percent(check['equal'], check['periods']):7.2f}" if check else "      -"


def show_recording(recordings, name, policy):
    report = recordings.run(name, "report")
    result = recordings.run(name, "compare", "-b", policy, "-p", policy)
    record, baseline = result["runs"][:2]
    above, below = shares(record)
    sim_above, sim_below = shares(baseline)
    usage = percent(baseline["total"]["usage"], record["total"]["usage"]) - 100
    print(f"{name:36} {judged_alike(report)} {result['agreement']['percent']:9.2f} "
          f"{above:7.2f} {sim_above - above:+6.2f} {below:7.2f} {sim_below - below:+6.2f} {usage:+6.2f}")


def show_pair(recordings, before, after):
    result = recordings.run(before, "compare", "-b", policy_of(before), "-p", policy_of(after))
    base, patched = shares(result["runs"][1]), shares(result["runs"][2])
    options = ("-b", policy_of(after), "-p", policy_of(after))
    was = shares(recordings.run(before, "compare", "-b", policy_of(before), "-p", policy_of(before))["runs"][0])
    now = shares(recordings.run(after, "compare", *options)["runs"][0])
    print(f"{before} -> {after}")
    for i, what in enumerate(("above", "below")):
        print(f"    {what} %: predicted {base[i]:.2f} -> {patched[i]:.2f} ({patched[i] - base[i]:+.2f}), "
              f"measured {was[i]:.2f} -> {now[i]:.2f} ({now[i] - was[i]:+.2f})")


def change_of(policy):
    """What to compare it with: the residency threshold taken out, or put in; menu instead of teo."""
    part = "override-residency-threshold"
    if policy.startswith("teo"):
        return "~menu@7.3"
    if "+" + part in policy:
        return "~" + policy.replace("+" + part, "")
    built_in = policy.startswith("menu@7.3") and "-" + part not in policy
    return ("-" if built_in else "+") + part


def show_masked(checker, folder):
    names = [name for name in sorted(os.listdir(folder)) if policy_of(name) and
             not any(few in name for few in ("-min", "-mid")) and os.path.exists(f"{folder}/{name}/trace.dat")]
    cases = [f"{name}={policy_of(name)}{change_of(policy_of(name))}" for name in names]
    lines = subprocess.run([checker, folder, *cases], check=False, capture_output=True, text=True).stdout.splitlines()
    results = [line.split(": ", 1) for line in lines if "/trace.dat: " in line]
    for mask in dict.fromkeys(mask for _, mask in results):
        wrong = [test.split("/")[-2] for test, found in results if found == mask and test.startswith("not")]
        total = sum(found == mask for _, found in results)
        print(f"{mask:22} {total - len(wrong):3} of {total} within 3 points; not: {', '.join(wrong)}")
    print(lines[-2])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--masked":
        show_masked(*sys.argv[2:])
        return
    recordings = Recordings(sys.argv[1], sys.argv[2])
    wanted = sys.argv[3:]
    print(f"{'recording':36} verdicts agreement   above  error   below  error  usage")
    print(f"{'':36}  equal %         %       %     pp       %     pp      %")
    for name in sorted(os.listdir(sys.argv[2])):
        policy = policy_of(name)
        if policy and (not wanted or name in wanted) and os.path.exists(f"{sys.argv[2]}/{name}/trace.dat"):
            show_recording(recordings, name, policy)
    for before, after in PAIRS:
        if not wanted or (before in wanted and after in wanted):
            show_pair(recordings, before, after)


if __name__ == "__main__":
    main()
