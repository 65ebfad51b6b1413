"""Quantiles and scatter plots, as text and as SVG."""

import math

WIDTH, HEIGHT, MARGIN = 560, 420, 48
COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad")


def quantiles(values):
    ordered = sorted(values)
    return [ordered[min(len(ordered) - 1, len(ordered) * q // 100)] for q in (25, 50, 75, 90)] + [ordered[-1]]


def _decades(values):
    positive = [value for value in values if value > 0] or [1]
    return math.floor(math.log10(min(positive))), max(math.ceil(math.log10(max(positive))), 1 + math.floor(
        math.log10(min(positive))))


def _at(value, low, high, length):
    return (math.log10(max(value, 10.0**low)) - low) / (high - low) * length


def scatter_text(points, columns=48, rows=16):
    """Both axes logarithmic, the same for both; the diagonal is dotted, digits say how many points lie together."""
    low, high = _decades([value for point in points for value in point])
    grid = [[" "] * columns for _ in range(rows)]
    for k in range(columns):
        grid[rows - 1 - k * rows // columns][k] = "."
    counts = {}
    for x, y in points:
        cell = (rows - 1 - int(_at(y, low, high, rows - 1)), int(_at(x, low, high, columns - 1)))
        counts[cell] = counts.get(cell, 0) + 1
    for (row, column), count in counts.items():
        grid[row][column] = str(min(count, 9))
    lines = ["  |" + "".join(row) for row in grid]
    return "\n".join([f"  10^{high}"] + lines + ["  +" + "-" * columns, f"  10^{low}{'':{columns - 6}}10^{high}"])


def _svg(title, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n'
            f'<text x="{WIDTH / 2}" y="18" text-anchor="middle">{title}</text>\n{body}</svg>\n')


def _axes(low, high, x_label, y_label, x_is_logarithmic):
    lines = [f'<path d="M{MARGIN} {MARGIN}V{HEIGHT - MARGIN}H{WIDTH - MARGIN}" fill="none" stroke="black"/>',
             f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">{x_label}</text>',
             f'<text x="14" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 {HEIGHT / 2})">{y_label}</text>']
    for decade in range(low, high + 1):
        y = HEIGHT - MARGIN - _at(10.0**decade, low, high, HEIGHT - 2 * MARGIN)
        lines.append(f'<text x="{MARGIN - 4}" y="{y + 4:.1f}" text-anchor="end">1e{decade}</text>')
        if x_is_logarithmic:
            x = MARGIN + _at(10.0**decade, low, high, WIDTH - 2 * MARGIN)
            lines.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">1e{decade}</text>')
    return "\n".join(lines) + "\n"


def scatter_svg(title, x_label, y_label, points):
    low, high = _decades([value for point in points for value in point])
    body = _axes(low, high, x_label, y_label, True)
    body += f'<path d="M{MARGIN} {HEIGHT - MARGIN}L{WIDTH - MARGIN} {MARGIN}" stroke="grey" stroke-dasharray="4"/>\n'
    for x, y in points:
        body += (f'<circle cx="{MARGIN + _at(x, low, high, WIDTH - 2 * MARGIN):.1f}" '
                 f'cy="{HEIGHT - MARGIN - _at(y, low, high, HEIGHT - 2 * MARGIN):.1f}" r="3" fill="{COLOURS[0]}"/>\n')
    return _svg(title, body)


def quantile_svg(title, y_label, series):
    """`series`: for each name, its values, which are drawn in ascending order."""
    low, high = _decades([value for values in series.values() for value in values])
    body = _axes(low, high, "clients, each curve in its own order", y_label, False)
    for number, (name, values) in enumerate(series.items()):
        step = (WIDTH - 2 * MARGIN) / max(len(values) - 1, 1)
        points = " ".join(f"{MARGIN + k * step:.1f},{HEIGHT - MARGIN - _at(value, low, high, HEIGHT - 2 * MARGIN):.1f}"
                          for k, value in enumerate(sorted(values)))
        body += f'<polyline points="{points}" fill="none" stroke="{COLOURS[number]}"/>\n'
        body += f'<text x="{MARGIN + 10}" y="{MARGIN + 16 * number}" fill="{COLOURS[number]}">{name}</text>\n'
    return _svg(title, body)
