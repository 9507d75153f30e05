#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the files that vsm writes for Perfetto: perfetto.py VSM

protoc decodes the files with perfetto.proto. The tests look at what Perfetto's importer expects.
Prints TAP."""

import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
EXAMPLE = os.path.join(HERE, "../vsm/trace/example.py")
VSM = sys.argv[1]

Slice = collections.namedtuple("Slice", "name categories start details")


def parse(lines):
    """Returns a message in protobuf's text format as a dictionary of lists."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            message[line[:-2]].append(parse(lines))
        else:
            name, value = line.split(": ", 1)
            message[name].append(value[1:-1] if value.startswith('"') else
                                 int(value) if re.fullmatch(r"-?\d+", value) else value)
    return message


def only(message, name, default=None):
    assert len(message[name]) <= 1, f"several {name}"
    return message[name][0] if message[name] else default


class Trace:
    """A decoded file. Reading it checks the rules that Perfetto's importer has."""

    def __init__(self, path):
        with open(path, "rb") as file:
            text = subprocess.run(["protoc", f"--proto_path={HERE}", "--decode=perfetto.protos.Trace",
                                   "perfetto.proto"], stdin=file, stdout=subprocess.PIPE,
                                  check=True, encoding="utf-8").stdout
        unknown = re.search(r"^ *\d+[:{ ].*", text, re.M)
        assert not unknown, f"a field that perfetto.proto does not have: {unknown}"
        self.packets = parse(iter(text.splitlines()))["packet"]
        self.tracks, self.processes, self.threads = {}, {}, {}
        self.slices, self.open, self.instants = [], collections.defaultdict(list), []
        self.counters = collections.defaultdict(list)
        self.flows, self.arrows, self.time = {}, [], 0
        self.read_head(self.packets[0])
        for packet in self.packets[1:]:
            self.read(packet)
        assert not self.flows, f"flows without an end: {self.flows}"

    def read_head(self, packet):
        assert only(packet, "sequence_flags") == 1
        defaults, snapshot = only(packet, "trace_packet_defaults"), only(packet, "clock_snapshot")
        assert only(defaults, "timestamp_clock_id") == 3
        assert only(snapshot, "primary_trace_clock") == "BUILTIN_CLOCK_MONOTONIC"
        clocks = {only(clock, "clock_id"): only(clock, "timestamp") for clock in snapshot["clocks"]}
        assert set(clocks) == {3, 6}
        self.start = clocks[3]

    def read(self, packet):
        assert only(packet, "trusted_packet_sequence_id") == 1
        assert only(packet, "sequence_flags") == 2
        descriptor, event = only(packet, "track_descriptor"), only(packet, "track_event")
        assert (descriptor is None) != (event is None)
        if descriptor:
            self.read_track(descriptor)
        else:
            self.read_event(only(packet, "timestamp"), event)

    def read_track(self, track):
        uuid, parent = only(track, "uuid"), only(track, "parent_uuid")
        assert uuid and uuid not in self.tracks
        assert parent is None or parent in self.tracks
        process, thread = only(track, "process"), only(track, "thread")
        name = only(track, "name")
        if process:
            pid, name = only(process, "pid"), only(process, "process_name")
            assert pid > 0 and pid not in self.processes
            self.processes[pid] = name
        elif thread:
            pid, tid = only(thread, "pid"), only(thread, "tid")
            name = only(thread, "thread_name")
            assert pid in self.processes and tid not in self.threads
            self.threads[tid] = name
        else:
            assert parent
        counter = only(track, "counter")
        path = self.tracks[parent]["path"] + (name,) if parent else (name,)
        self.tracks[uuid] = {"path": path, "counter": counter and only(counter, "unit")}

    def read_event(self, time, event):
        kind, uuid = only(event, "type"), only(event, "track_uuid")
        track = self.tracks[uuid]
        assert time >= self.time, "times go backwards"
        self.time = time
        assert (kind == "TYPE_COUNTER") == (track["counter"] is not None)
        if kind == "TYPE_COUNTER":
            self.counters[track["path"]].append((time - self.start,
                                                 only(event, "counter_value")))
            return
        details = {only(note, "name"): only(note, "string_value")
                   for note in event["debug_annotations"]}
        if kind == "TYPE_SLICE_END":
            assert self.open[uuid], "an end without a begin"
            slice_ = self.open[uuid].pop()
            self.slices.append((track["path"], slice_, time - self.start))
        else:
            slice_ = Slice(only(event, "name"), event["categories"], time - self.start, details)
            assert slice_.name and slice_.categories
            if kind == "TYPE_SLICE_BEGIN":
                assert not self.open[uuid], "a slice in a slice"
                self.open[uuid].append(slice_)
            else:
                assert kind == "TYPE_INSTANT"
                self.instants.append((track["path"], slice_))
        for flow in event["terminating_flow_ids"]:
            self.arrows.append((self.flows.pop(flow).name, slice_.name))
        for flow in event["flow_ids"]:
            assert flow not in self.flows
            self.flows[flow] = slice_

    def never_ended(self):
        return [(self.tracks[uuid]["path"], slice_) for uuid, slices in self.open.items()
                for slice_ in slices]


def export(text):
    """Writes a trace in text form with vsm. Returns what protoc decodes."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "a.txt"), os.path.join(folder, "a.pftrace")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([VSM, "trace", "export", source, "-o", target], check=True)
        return Trace(target)


def example(*options):
    text = subprocess.run([sys.executable, EXAMPLE, *options], stdout=subprocess.PIPE, check=True,
                          encoding="utf-8").stdout
    return text, export(text)


def names_of_tracks():
    _, trace = example()
    assert list(trace.processes.values()) == ["cluster 1, CTA 0", "client 2"]
    assert list(trace.threads.values()) == ["warp 0", "warp 1"]
    cta = ("cluster 1, CTA 0",)
    names = [track["path"] for track in trace.tracks.values()]
    for name in ("full[0]", "full[1]", "empty[0]", "empty[1]"):
        assert cta + (name,) in names
        units = {track["path"]: track["counter"] for track in trace.tracks.values()}
        assert units[cta + (name, name + " pending")] == "UNIT_COUNT"
        assert units[cta + (name, name + " tx")] == "UNIT_SIZE_BYTES"
    # Two copies are in flight at the same time.
    assert names.count(("client 2", "channel 0")) == 2


def every_event_is_there():
    text, trace = example("--consumers", "3", "--ctas", "2", "--rounds", "20")
    events = collections.Counter(line.split()[1] for line in text.splitlines()
                                 if line[0].isdigit())
    ends = collections.Counter(slice_.categories[0] for _, slice_, _ in trace.slices)
    ends.update(slice_.categories[0] for _, slice_ in trace.instants)
    never = collections.Counter(slice_.categories[0] for _, slice_ in trace.never_ended())
    assert ends["insn"] == events["insn"]
    assert ends["issue"] == ends["copy"] == events["copy_issue"]
    assert ends["phase"] == events["phase"]
    assert ends["wait"] == events["resume"]
    assert never["wait"] == events["suspend"] - events["resume"] > 0


def flows_lead_from_issue_to_wake_up():
    text, trace = example("--no-hang")
    arrows = collections.Counter((re.sub(r"[\d[].*", "", a).strip(), re.sub(r"[\d[].*", "", b).strip())
                                  for a, b in trace.arrows)
    copies, waits = text.count(" copy_issue "), text.count(" resume ")
    assert arrows["cp.async.bulk tiles", "cp.async.bulk tiles"] == copies
    assert arrows["cp.async.bulk tiles", "phase"] == copies
    assert arrows["phase", "try_wait full"] + arrows["phase", "try_wait empty"] == waits
    assert arrows["arrive empty", "phase"] == text.count(" phase ") - copies


def a_hang_has_waits_without_end():
    _, trace = example()
    bad = [(path[1], slice_.name) for path, slice_ in trace.never_ended()
           if "bad" in slice_.categories]
    assert ("warp 0", "try_wait empty[0]") in bad and ("warp 1", "try_wait full[0]") in bad
    wait = next(slice_ for path, slice_ in trace.never_ended() if path[1] == "warp 0")
    assert wait.details["place"] == "pipeline.cu:33, pipeline.ptx:71"
    assert wait.details["end"] == "it has not ended"


def counters_follow_the_words():
    _, trace = example("--rounds", "1", "--no-hang")
    full = ("cluster 1, CTA 0", "full[0]")
    assert [value for _, value in trace.counters[full + ("full[0] pending",)]] == [1, 0, 1]
    assert [value for _, value in trace.counters[full + ("full[0] tx",)]] == [0, 4096, 0]


def strange_texts_stay_utf_8():
    trace = export('vsm trace 1\nname "a\\"\\\\\u00e9\u20ac" offset=0 size=8\n'
                   "5 insn cluster=1 lanes=1 op=mbarrier_init next=1\n")
    assert any("\\303\\251" in slice_.name for _, slice_ in trace.instants)


def a_recorded_trace_is_complete():
    with open(os.path.join(HERE, "recorded.txt"), encoding="utf-8") as file:
        text = file.read()
    trace = export(text)
    events = collections.Counter(line.split()[1] for line in text.splitlines()
                                 if line[0].isdigit())
    seen = collections.Counter(slice_.categories[0] for _, slice_, _ in trace.slices)
    seen.update(slice_.categories[0] for _, slice_ in trace.instants)
    assert seen["copy"] == seen["issue"] == events["copy_issue"] > 50
    assert seen["wait"] == events["resume"] + events["wait_end"] == 9
    assert seen["job"] == events["job_queue"]
    assert seen["fault"] == events["fault"]
    bad = [slice_.name for _, slice_, _ in trace.slices
           if slice_.categories[0] == "wait" and "bad" in slice_.categories]
    assert bad == ["try_wait 0x18"], bad
    # Each copy comes from its issue, and each wait but that one ends by something.
    assert len(trace.arrows) >= events["copy_issue"] + 8


def an_empty_trace_is_valid():
    assert len(export("vsm trace 1\n").packets) == 1


def times_may_be_large():
    trace = export("vsm trace 1\n18446744073709551000 insn cluster=1 lanes=1 op=fence\n"
                   "18446744073709551615 insn cluster=1 lanes=1 op=fence\n")
    assert [slice_.start for _, slice_ in trace.instants] == [0, 615]


TESTS = (names_of_tracks, every_event_is_there, flows_lead_from_issue_to_wake_up,
         a_hang_has_waits_without_end, counters_follow_the_words, strange_texts_stay_utf_8,
         a_recorded_trace_is_complete, an_empty_trace_is_valid, times_may_be_large)


def main():
    failed = 0
    print(f"1..{len(TESTS)}", flush=True)
    for number, test in enumerate(TESTS, 1):
        name = "perfetto: " + test.__name__.replace("_", " ")
        try:
            test()
            print(f"ok {number} - {name}", flush=True)
        except (AssertionError, KeyError, StopIteration, ValueError,
                subprocess.CalledProcessError) as error:
            failed = 1
            trace = error.__traceback__
            while trace.tb_next:
                trace = trace.tb_next
            print(f"not ok {number} - {name}\n# line {trace.tb_lineno}: {error!r}")
    return failed


sys.exit(main())
