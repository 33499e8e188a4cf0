#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of a failing schedule, in headless Chromium; prints TAP.

    test/explore/page.py [--build DIR] [--keep DIR]

--keep puts screenshots there, for people.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test" / "support"))
from chromium import Browser  # noqa: E402

SECONDS = 60


COUNT = 0
FAILED = 0


def expect(what, got, wanted):
    global COUNT, FAILED
    COUNT += 1
    print(f"{'ok' if got == wanted else 'not ok'} {COUNT} - {what}")
    if got != wanted:
        FAILED += 1
        print(f"# got {got!r}\n# instead of {wanted!r}")


def make_page(build, folder, source, *flags):
    program, page = folder / "program", folder / f"{source.stem}.html"
    subprocess.run([build / "weir-explore", "cc", "-O1", *flags, source, "-o",
                    program], check=True)
    done = subprocess.run([build / "weir-explore", "run", "--quiet",
                           f"--html={page}", program], capture_output=True,
                          text=True, timeout=SECONDS)
    return page, done.stdout


def texts(browser, selector):
    return browser.evaluate(
        f"[...document.querySelectorAll('{selector}')].map(e => e.textContent)")


def visible(browser):
    """How many steps are shown, and whether the finding is."""
    return browser.evaluate(
        "[[...document.querySelectorAll('tbody tr')].filter(r => "
        "r.className !== 'later').length, "
        "getComputedStyle(document.getElementById('end')).visibility]")


def arrows(browser, kind):
    return browser.evaluate(
        f"arrows.filter(a => a.kind === '{kind}').map(a => [a.from, a.to])")


def check_race(browser, page, report):
    expect("the page asks for nothing else", browser.open(page.as_uri()), [page.as_uri()])
    expect("it says what was found",
           texts(browser, "#finding, #text"), report.split("\n")[0].split(": "))
    expect("there is a lane for each thread", texts(browser, "th"),
           ["", "main", "thread 1"])
    expect("there is a row for each step", len(texts(browser, "tbody tr")), 6)
    expect("a step has its place", texts(browser, "tbody tr:nth-child(6) td")[1],
           "load.acq ring+4 = 1ring.c:41")
    expect("an arrow shows the value's way", arrows(browser, "read"), [[5, 6]])
    expect("an arrow shows what happens before", arrows(browser, "order"), [[1, 3]])
    expect("at first, all of it is shown", visible(browser), [6, "visible"])
    browser.press("ArrowUp")
    expect("the arrow key goes back a step, which hides the finding",
           visible(browser), [5, "hidden"])
    browser.press("Home")
    expect("Home goes to the first", visible(browser), [1, "hidden"])
    browser.press("ArrowUp")
    expect("... before which there is none", visible(browser), [1, "hidden"])
    browser.press("ArrowDown")
    expect("the other arrow key goes on",
           texts(browser, "#place"), ["step 2 of 6"])
    browser.press("End")
    browser.press("ArrowDown")
    expect("End goes to the last", texts(browser, "#place"), ["step 6 of 6"])
    browser.evaluate("document.querySelectorAll('tbody tr')[2].click()")
    expect("a click goes to its step", texts(browser, "#place"), ["step 3 of 6"])
    expect("the report is at the end",
           texts(browser, "#report"), [report[report.index("replay:"):]])
    expect("each arrow goes from its step to its step", browser.evaluate(
        "arrows.every(({path, from, to}) => { const at = path.getBoundingClientRect(), "
        "box = (i) => rows[i - 1].cells[run.steps[i - 1].lane + 1].getBoundingClientRect(), "
        "a = box(from), b = box(to); return at.width > 0 && "
        "at.left >= Math.min(a.left, b.left) && at.right <= Math.max(a.right, b.right) && "
        "at.top >= a.top && at.bottom <= b.bottom; })"), True)


def check_deadlock(browser, page, report):
    browser.open(page.as_uri())
    expect("a deadlock says who waits for whom",
           texts(browser, "#end div"),
           [line for line in report.split("\n")
            if "is blocked" in line or line.startswith("deadlock")])


def check_markup(browser, page):
    browser.open(page.as_uri())
    expect("markup in a name is text", "<b>&amp;</script>" in
           texts(browser, "#text")[0], True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        folder = pathlib.Path(scratch)
        markup = folder / "markup.c"
        markup.write_text('#include <assert.h>\nint main(void) '
                          '{ assert(0 && "<b>&amp;</script>"); }\n')
        browser = Browser(folder)
        try:
            for name, source, check, flags in [
                    ("race", ROOT / "examples/explore/ring.c", check_race, []),
                    ("deadlock", ROOT / "test/explore/programs/philosophers.c",
                     check_deadlock, ["-DBROKEN"])]:
                page, report = make_page(arguments.build, folder, source, *flags)
                check(browser, page, report)
                if arguments.keep:
                    browser.save(arguments.keep / f"{name}.png")
            check_markup(browser, make_page(arguments.build, folder, markup)[0])
        finally:
            browser.close()
    print(f"1..{COUNT}")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
