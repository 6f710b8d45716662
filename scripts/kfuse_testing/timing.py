"""GPU timing of repeatable calls: CUDA-graph replays over rotated buffers.

Each candidate gets a graph that calls it once per buffer set, several rounds.
The sets together exceed the L2 cache many times, so each call reads and writes
HBM. Candidates take turns at each repetition: clocks and temperature drift
then hit all of them alike. Times are medians per call, in microseconds.
"""

import statistics
import time

import torch

MIN_ROTATED_BYTES = 1 << 30


def sets_needed(call_bytes):
    """Buffer sets so that one round moves at least MIN_ROTATED_BYTES."""
    return max(3, min(64, -(-MIN_ROTATED_BYTES // max(call_bytes, 1))))


class GraphCandidate:
    """`calls` enqueue one call each on torch's current stream. When they cannot
    be captured, they are enqueued one by one at each measurement."""

    def __init__(self, name, calls, rounds=2):
        self.name, self.calls, self.count = name, calls, rounds * len(calls)
        self.stream = torch.cuda.Stream()
        self.samples, self.kept = [], []
        with torch.cuda.stream(self.stream):
            for call in calls:
                call()
        self.stream.synchronize()
        self.graph, self.capture_error = None, None
        try:
            self.graph = self._capture()
        except Exception as error:
            self.capture_error = str(error)[:300]
            torch.cuda.synchronize()

    def _capture(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            for index in range(self.count):
                result = self.calls[index % len(self.calls)]()
                # What a call returns stays alive: each set then has its own memory.
                if index < len(self.calls):
                    self.kept.append(result)
        return graph

    def _enqueue(self):
        if self.graph:
            self.graph.replay()
            return
        for index in range(self.count):
            self.calls[index % len(self.calls)]()

    def measure(self):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(self.stream):
            start.record()
            self._enqueue()
            end.record()
        end.synchronize()
        self.samples.append(start.elapsed_time(end) * 1000 / self.count)

    def summary(self):
        ordered = sorted(self.samples)
        return {
            "us": statistics.median(ordered),
            "p10_us": ordered[len(ordered) // 10],
            "p90_us": ordered[(len(ordered) * 9) // 10],
            "capture_error": self.capture_error,
        }


def measure_all(candidates, repetitions=15):
    """Interleaved measurements; returns {name: summary}."""
    for candidate in candidates:
        candidate.measure()
        candidate.samples.clear()
    for _ in range(repetitions):
        for candidate in candidates:
            candidate.measure()
    return {candidate.name: candidate.summary() for candidate in candidates}


def wall_us(call, repetitions=50):
    """Host-driven calls in a loop: time per call, and the part spent enqueuing."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(repetitions):
        call()
    enqueued = time.perf_counter()
    torch.cuda.synchronize()
    finished = time.perf_counter()
    return (finished - started) * 1e6 / repetitions, (enqueued - started) * 1e6 / repetitions
