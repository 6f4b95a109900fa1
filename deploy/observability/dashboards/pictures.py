"""Pictures of the dashboards over a recorded bad night: `./dev dashboards --pictures` draws them.

    pictures.py NIGHT FOLDER

NIGHT is a folder of what faults_e2e_test recorded: for each of its nights a file with the faults, and with the
series of each panel. Draws money.png, traffic.png and pipeline.png in FOLDER, some panels of each, of the
night that tells most of it.
"""

import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot  # noqa: E402

# The night and the panels of each picture.
PICTURES = {
    "money": (
        "OfThePaymentService",
        ["Begun, by RPC", "What they became", "Ages", "Without an outcome", "Outcome not known", "Looks of the resolver"],
    ),
    "traffic": (
        "OfTheStore",
        [
            "By code, those with OK left out",
            "How long",
            "Failures, by reason and who is to blame",
            "Commands to Redis",
            "Stores that answer",
            "Doubt",
        ],
    ),
    "pipeline": (
        "OfThePipelineAndItsRoles",
        [
            "By result",
            "Hints, by source",
            "Reads, by result",
            "What is oldest",
            "Events",
            "Records on the topic of operations",
        ],
    ),
}
COLUMNS = 2
SHADES = ["#fbe3d6", "#dbe9f6"]
# Lines that are named in a panel at most: those with the greatest values.
MOST_NAMED = 6
WITHOUT_NAME = {"__name__", "job"}


def name_of(labels):
    return ", ".join(str(value) for key, value in sorted(labels.items()) if key not in WITHOUT_NAME) or "all"


def lines_of(panels, where, began):
    """(name, minutes, values) of each series of the panel; those with the greatest values first."""
    lines = []
    for panel in panels:
        if panel["where"] != where:
            continue
        for series in panel["series"]:
            points = [(float(at), float(value)) for at, value in series["values"]]
            points = [(at, value) for at, value in points if math.isfinite(value)]
            if points and any(value for _, value in points):
                minutes = [(at - began) / 60 for at, _ in points]
                lines.append((name_of(series["metric"]), minutes, [value for _, value in points]))
    return sorted(lines, key=lambda line: -max(line[2]))


def draw(night, dashboard, titles, path):
    began = night["from"]
    rows = math.ceil(len(titles) / COLUMNS)
    figure, axes = plot.subplots(rows, COLUMNS, figsize=(13, 3 * rows + 1), sharex=True, squeeze=False)
    for title, axis in zip(titles, axes.flat):
        lines = lines_of(night["panels"], f"{dashboard}.json, {title}", began)
        if not lines:
            print(f"{dashboard}: nothing to draw of the panel {title}", file=sys.stderr)
            axis.set_axis_off()
            continue
        for number, (name, minutes, values) in enumerate(lines):
            axis.plot(minutes, values, linewidth=0.9, label=name if number < MOST_NAMED else None)
        axis.set_title(title, fontsize=9, loc="left")
        axis.tick_params(labelsize=7)
        axis.legend(fontsize=6, loc="upper left", framealpha=0.7)
        for number, fault in enumerate(night["faults"]):
            span = [(fault[end] - began) / 60 for end in ("from", "to")]
            axis.axvspan(*span, color=SHADES[number % len(SHADES)], zorder=0)
            axis.text(span[0], 1.0, f" {number + 1}", fontsize=7, va="top", transform=axis.get_xaxis_transform())
    for axis in axes[-1]:
        axis.set_xlabel("minutes", fontsize=7)
    faults = [f"{number + 1} {fault['fault']}" for number, fault in enumerate(night["faults"])]
    half = math.ceil(len(faults) / 2)
    words = "\n".join("   ".join(part) for part in (faults[:half], faults[half:]) if part)
    figure.suptitle(f"{dashboard.capitalize()}\n{words}", fontsize=8)
    figure.tight_layout()
    # Nothing in the file changes with the day.
    figure.savefig(path, dpi=80, metadata={"Software": None})
    plot.close(figure)


def main():
    nights, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    for dashboard, (test, titles) in PICTURES.items():
        night = json.loads((nights / f"{test}.json").read_text())
        draw(night, dashboard, titles, folder / f"{dashboard}.png")


main()
