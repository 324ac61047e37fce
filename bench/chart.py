"""The chart of bench/run: a hand-written SVG with one pair of bars a benchmark, as long
as we are times faster than libuv, on a logarithmic scale with a line at 1 (as fast)."""
import math
from xml.sax.saxutils import escape

ROW, TOP, LEFT, WIDTH, RIGHT = 34, 74, 210, 560, 130
COLOURS = {"uring": "#1f6feb", "epoll": "#8b949e"}
STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200]


def text(x, y, words, **attributes):
    extra = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{escape(words)}</text>'


def scale_of(results):
    """The steps shown, and the function from a ratio to a place."""
    ratios = [result[f"ratio_{variant}"] for result in results for variant in COLOURS
              if result[f"ratio_{variant}"]] or [1]
    low = max([step for step in STEPS if step <= min(min(ratios), 0.5)] or STEPS[:1])
    high = min([step for step in STEPS if step >= max(max(ratios), 2)] or STEPS[-1:])
    span = math.log(high / low)

    def place(value):
        return LEFT + WIDTH * math.log(min(max(value, low), high) / low) / span

    return [step for step in STEPS if low <= step <= high], place


def bars(result, y, place):
    parts = [text(LEFT - 10, y + 19, result["name"], text_anchor="end")]
    for index, (variant, colour) in enumerate(COLOURS.items()):
        value = result[f"ratio_{variant}"]
        if value is None:
            continue
        top = y + 3 + index * 13
        start, end = sorted((place(1), place(value)))
        parts.append(f'<rect x="{start:.1f}" y="{top}" width="{max(end - start, 1):.1f}" '
                     f'height="11" rx="2" fill="{colour}"/>')
        low, high = result[f"ratio_spread_{variant}"]
        parts.append(f'<line x1="{place(low):.1f}" x2="{place(high):.1f}" y1="{top + 5.5}" '
                     f'y2="{top + 5.5}" stroke="#0d1117" stroke-opacity="0.55"/>')
        parts.append(text(max(end, place(high)) + 6, top + 9.5, f"{value:.2f}x", font_size=11))
    return parts


def write(results, path):
    height = TOP + ROW * len(results) + 30
    width = LEFT + WIDTH + RIGHT
    steps, place = scale_of(results)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}" font-family="sans-serif" font-size="13" '
             'fill="#1f2328">',
             f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
             text(20, 26, "Times faster than libuv, same binary, same run", font_size=17,
                  font_weight="bold")]
    for index, (variant, colour) in enumerate(COLOURS.items()):
        parts.append(f'<rect x="{20 + index * 90}" y="37" width="11" height="11" rx="2" fill="{colour}"/>')
        parts.append(text(36 + index * 90, 47, variant))
    parts.append(text(205, 47, "thin line: lowest to highest round; right of 1x is faster than libuv",
                      fill="#59636e", font_size=12))
    for step in steps:
        x = place(step)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 4}" y2="{height - 24}" '
                     f'stroke="{"#1f2328" if step == 1 else "#d1d9e0"}"/>')
        parts.append(text(x, TOP - 9, f"{step:g}x", text_anchor="middle", font_size=11))
    for index, result in enumerate(results):
        parts += bars(result, TOP + index * ROW, place)
    with open(path, "w") as file:
        file.write("\n".join(parts + ["</svg>"]) + "\n")
