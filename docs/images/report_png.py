"""Renews ``report.png``, the picture in the README: the top of the report that ``compare`` writes for the examples.

Run it in the top folder: ``.venv/bin/python docs/images/report_png.py``. It needs Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
TARGET = Path(__file__).with_name("report.png")
STRATEGIES = ("greedy", "greedy:match=mention,one-to-one")
WIDTH, HEIGHT = 1240, 740


def main() -> None:
    """Compare, open the report, and save what is at its top."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("no Chromium: run make chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder, "report.html")
        chosen = [part for each in STRATEGIES for part in ("-s", each)]
        command = [sys.executable, "-m", "merge_baseline", "compare", "examples/key", "--keep-parts", *chosen]
        subprocess.run([*command, "--report", str(report)], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(report.as_uri())
        page.screenshot(path=TARGET)
        browser.close()
    sys.stdout.write(f"{TARGET}: {TARGET.stat().st_size / 1000:.0f} kB\n")


if __name__ == "__main__":
    main()
