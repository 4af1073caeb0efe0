# SPDX-License-Identifier: Apache-2.0
"""One table of what torch_peer.py and `calfvo bench --json` measured:  compare.py PEER.json OURS.json...

Rates count what the model's definition needs. "of product" is the share of the rate of a bf16 matrix product in the same run,
"times PyTorch" the frames/s over the fastest PyTorch row of the schedule, "error" that against PyTorch F64.
"""
import json
import sys

HEADING = ["schedule", "what", "ms/step", "95 %", "frames/s", "TFLOP/s", "of product", "times PyTorch", "error"]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def peer_error(peer, row):
    """Of eager bf16 for eager rows, of this schedule's compiled bf16 for the others."""
    compiled = "compiled" in row["name"]
    return peer["errors"].get(f"PyTorch bf16 compiled, {row['schedule']}" if compiled else "PyTorch bf16 eager")


def all_rows(peer, ours):
    """Rows of every program with the keys of torch_peer.py's, and their errors."""
    rows = [{**row, "error": peer_error(peer, row)} for row in peer["rows"]]
    for report in ours:
        for schedule, times in report["schedules"].items():
            rows.append({**times, "schedule": schedule, "name": f"calfvo {report['backend']}",
                         "error": peer["errors"].get(report["backend"])})
    return rows


def table(peer, ours):
    rows = all_rows(peer, ours)
    gflop = ours[0]["gflop_per_frame"]
    lines = [HEADING]
    for schedule in ("live", "stream", "offline"):
        # The PyTorch peer does not encode the next frames concurrently with a window.
        peers = [row for row in rows if row["schedule"] == schedule.replace("stream", "live")
                 and row["name"].startswith("PyTorch")]
        ours_now = [row for row in rows if row["schedule"] == schedule and row not in peers]
        if not peers:
            continue  # PyTorch did not measure it
        chosen = (peers if schedule != "stream" else []) + ours_now
        if len({row["frames"] for row in peers + ours_now}) > 1:
            raise SystemExit(f"error: the programs took different numbers of frames per {schedule} step")
        fastest = max(row["frames_per_s"] for row in peers)
        for row in chosen:
            tflops = 1e-3 * gflop * row["frames_per_s"]
            lines.append([schedule, row["name"], f"{row['median_ms']:.3f}", f"{row['p95_ms']:.3f}",
                          f"{row['frames_per_s']:.1f}", f"{tflops:.1f}",
                          f"{100.0 * tflops / peer['ceiling_tflops']:.0f} %", f"{row['frames_per_s'] / fastest:.2f}",
                          "-" if row["error"] is None else f"{row['error']:.1e}"])
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADING))]
    return "\n".join("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    peer, ours = load(sys.argv[1]), [load(path) for path in sys.argv[2:]]
    print(f"{ours[0]['model']}, {ours[0]['gflop_per_frame']:.1f} GFLOP per frame; PyTorch {peer['torch']} on {peer['gpu']}, "
          f"bf16 matrix product {peer['ceiling_tflops']:.0f} TFLOP/s\n")
    print(table(peer, ours))


if __name__ == "__main__":
    main()
