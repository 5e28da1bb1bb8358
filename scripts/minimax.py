#!/usr/bin/env python3
"""Makes the coefficients of templates/kernel/math_c.h, and prints them with their errors.

    scripts/minimax.py [NAME ...]

Remez's exchange, in decimal arithmetic of 60 digits, gives the polynomial of least relative error. Then coefficients
are rounded one by one, and those behind fitted anew. What float32 arithmetic adds is as large: at random, from a seed,
last bits of coefficients are changed, and kept where the largest error of a sample sinks (needs NumPy). Methods:
J.-M. Muller, Elementary Functions, 2016, chapters 3 and 4.
"""
import math
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60
LN2 = Decimal(2).ln()
TINY = Decimal("1e-12")


def solve(rows, values):
    """Solves a system of linear equations."""
    rows, n = [row + [value] for row, value in zip(rows, values)], len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    solution = [Decimal(0)] * n
    for i in reversed(range(n)):
        solution[i] = (rows[i][n] - sum(rows[i][j] * solution[j] for j in range(i + 1, n))) / rows[i][i]
    return solution


def nodes(low, high, count):
    """Chebyshev's, ascending."""
    return [(low + high) / 2 - (high - low) / 2 * Decimal(math.cos(math.pi * (2 * k + 1) / (2 * count)))
            for k in range(count)]


def power(x, n):
    return x ** n if n else Decimal(1)


def remez(function, powers, low, high, weight, grid=400):
    """Coefficients of `powers` with the least largest weight * error, and that error."""
    at, points = nodes(low, high, len(powers) + 1), nodes(low, high, grid)
    rows = [[power(x, n) for n in powers] for x in points]
    values, weights = [function(x) for x in points], [weight(x) for x in points]
    for _ in range(12):
        *found, level = solve([[power(x, n) * weight(x) for n in powers] + [Decimal((-1) ** i)]
                               for i, x in enumerate(at)], [function(x) * weight(x) for x in at])
        errors = [w * (y - sum(c * p for c, p in zip(found, row))) for w, y, row in zip(weights, values, rows)]
        extrema, first = [], 0
        while first < grid:        # of each run of one sign the largest
            end = first
            while end < grid and (errors[end] > 0) == (errors[first] > 0):
                end += 1
            extrema.append(max(range(first, end), key=lambda k: abs(errors[k])))
            first = end
        while len(extrema) > len(powers) + 1:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        largest = max(map(abs, errors))
        if len(extrema) <= len(powers) or largest < abs(level) * Decimal("1.001"):
            break
        at = [points[k] for k in extrema]
    return found, largest


def rounded(value, bits):
    exponent = math.frexp(float(value))[1] if value else 0
    unit = Decimal(2) ** (exponent - bits)
    return (value / unit).to_integral_value() * unit


def fit(function, count, low, high, weight, bits):
    """Rounded coefficients of powers 0 to count - 1, and their error. Of 53 bits all at once: that adds nothing."""
    found, _ = remez(function, list(range(count)), low, high, weight)
    done = [rounded(c, bits) for c in found] if bits == 53 else []
    for first in range(len(done), count):
        def rest(x):
            return function(x) - sum(c * power(x, n) for n, c in enumerate(done))
        found, _ = remez(rest, list(range(first, count)), low, high, weight)
        done.append(rounded(found[0], bits))
    error = max(abs(weight(x) * (function(x) - sum(c * power(x, n) for n, c in enumerate(done))))
                for x in nodes(low, high, 800))
    return done, error


# ---- float32 as a processor computes it ----

def fused(a, b, c):
    import numpy as np
    a, b, c = (np.atleast_1d(value).astype(np.float64) for value in (a, b, c))
    return (a * b + c).astype(np.float32)


def exp_steps(c, r):
    """exp(r) - 1."""
    s = r * r
    p = fused(fused(c[4], r, c[3]), s, fused(c[2], r, c[1]))
    return fused(fused(p, r, c[0]), s, r)


def exp2_steps(c, r):
    """2 ** r - 1."""
    import numpy as np
    s = r * r
    p = fused(c[4], s, fused(c[3], r, c[2]))
    return fused(np.float32(float(rounded(LN2, 24))), r, fused(p, s, fused(c[1], r, c[0])) * s)


def largest_error(steps, coefficients, sample):
    """In units of the last place of 1 + steps."""
    import numpy as np
    r, exact, units = sample
    got = (steps(coefficients, r).astype(np.float64) + 1).astype(np.float32)
    return float(np.max(np.abs(got - exact) / units))


def improve(steps, coefficients, sample, tries=2000):
    """Changes last bits, each coefficient's the more the less it weighs."""
    import numpy as np
    random = np.random.default_rng(1)
    best = np.array([float(c) for c in coefficients], np.float32)
    least = largest_error(steps, best, sample)
    for _ in range(tries):
        tried = best.copy()
        for k in range(len(tried)):
            tried[k:k + 1].view(np.int32)[0] += random.integers(-3, 4) * random.integers(0, (4, 10, 40, 400, 800)[k])
        error = largest_error(steps, tried, sample)
        if error < least:
            best, least = tried, error
    return best, least


def sample_of(function, arguments):
    """float32 arguments; of `arguments` the values and their units."""
    import numpy as np
    exact = function(arguments)
    return arguments.astype(np.float32), exact, np.exp2(np.floor(np.log2(exact)) - 23)


# ---- functions that Decimal lacks ----

def series(first, ratio, start=1):
    """first * (1 + ratio(start) * (1 + ratio(start + 1) * ..)), term by term."""
    total = term = first
    n = start
    while abs(term) > Decimal("1e-58") * max(abs(total), TINY):
        term *= ratio(n)
        total += term
        n += 1
    return total


def sine(x):
    return series(x, lambda n: -x * x / (2 * n * (2 * n + 1)))


def tangent(x):
    """Of less than pi / 2."""
    return sine(x) / (1 - sine(x) ** 2).sqrt()


def sinh(x):
    return series(x, lambda n: x * x / (2 * n * (2 * n + 1)))


def cosh_rest(x):
    """cosh(x) - 1."""
    return series(x * x / 2, lambda n: x * x / ((2 * n + 1) * (2 * n + 2)))


def atan(x):
    if abs(x) > Decimal("0.1"):
        return 2 * atan(x / (1 + (1 + x * x).sqrt()))
    return series(x, lambda n: -x * x * (2 * n - 1) / (2 * n + 1))


def asin(x):
    return atan(x / (1 - x * x).sqrt())


def erf(x):
    """2 / sqrt(pi) * exp(-x^2) * (x + 2 x^3 / 3 + ..): no term is negative."""
    pi = 4 * atan(Decimal(1))
    return 2 / pi.sqrt() * (-x * x).exp() * series(x, lambda n: 2 * x * x / (2 * n + 1))


# ---- the tables ----

def show(name, coefficients, error, note=""):
    print("%s: error 2^%.1f%s" % (name, math.log2(error), note))
    for n, c in enumerate(coefficients):
        print("    %d %s" % (n, float(c).hex()))


def table_exp():
    """(exp(r) - 1 - r) / r^2, |r| up to ln(2) / 2."""
    import numpy as np
    high = LN2 / 2 * Decimal("1.01")
    first, error = fit(lambda r: (r.exp() - 1 - r) / (r * r) if abs(r) > TINY else Decimal("0.5"), 5, -high, high,
                       lambda r: r * r / r.exp(), 24)
    x = np.random.default_rng(2).uniform(-1, 1, 400000)
    x = np.concatenate([x[::2] * 10, x[1::2] * 87]).astype(np.float32)
    n = np.rint(x * np.log2(np.e)).astype(np.float32)
    r = fused(n, -float.fromhex("0x1.7f7d1cp-20"), fused(n, -float.fromhex("0x1.62e4p-1"), x))
    exact = np.exp(x.astype(np.float64)) * np.exp2(-n.astype(np.float64))
    best, least = improve(exp_steps, first, (r, exact, np.exp2(np.floor(np.log2(exact)) - 23)))
    show("exp", best, error, ", in float32 %.3f ulp" % least)


def table_exp2():
    """(2^r - 1 - r ln(2)) / r^2, |r| up to 0.5."""
    import numpy as np
    high = Decimal("0.5001")
    first, error = fit(lambda r: ((r * LN2).exp() - 1 - r * LN2) / (r * r) if abs(r) > TINY else LN2 * LN2 / 2, 5,
                       -high, high, lambda r: r * r / (r * LN2).exp(), 24)
    sides = np.random.default_rng(2).uniform(-0.5, 0.5, 60000)
    best, least = improve(exp2_steps, first, sample_of(np.exp2, np.concatenate([sides, -0.3 - np.abs(sides) * 0.4])))
    show("exp2", best, error, ", in float32 %.3f ulp" % least)


def table_log2():
    """(log2((1 + s) / (1 - s)) / s - c) / s^2 in powers of s^2; c, of two parts, is the first coefficient."""
    end = (Decimal(2).sqrt() - 1) / (Decimal(2).sqrt() + 1) * Decimal("1.00001")

    def rest(z):
        return 2 / LN2 * sum(power(z, n) / (2 * n + 3) for n in range(60))
    show("log2", *fit(rest, 4, Decimal(0), end * end, lambda z: z / (2 / LN2 + z * rest(z)), 24))
    c = 2 / LN2
    print("    %s %s" % (float(rounded(c, 24)).hex(), float(rounded(c - rounded(c, 24), 24)).hex()))


def table_exp_f64():
    """(exp(r) - 1 - r) / r^2, |r| up to ln(2) / 2, in float64."""
    high = LN2 / 2 * Decimal("1.001")
    show("exp_f64", *fit(lambda r: (r.exp() - 1 - r) / (r * r) if abs(r) > TINY else Decimal("0.5"), 10, -high, high,
                         lambda r: r * r / r.exp(), 53))


def odd_table(name, function, count, end, bits, second):
    """(function(x) / x - 1) / x^2 in powers of x^2, for an odd function; `second` is its value at 0."""
    def rest(z):
        x = z.sqrt()
        return (function(x) / x - 1) / z if z > TINY else Decimal(second)
    show(name, *fit(rest, count, Decimal(0), end * end, lambda z: z * z.sqrt() / function(z.sqrt()) if z else z, bits))


def log_table(name, count, bits):
    """(log(1 + f) - f + f^2 / 2) / f^3, 1 + f between the square roots of 0.5 and 2."""
    low, high = Decimal("0.5").sqrt() - 1 - Decimal("1e-6"), Decimal(2).sqrt() - 1 + Decimal("1e-6")

    def function(f):
        return ((1 + f).ln() - f + f * f / 2) / f ** 3 if abs(f) > TINY else Decimal(1) / 3
    show(name, *fit(function, count, low, high, lambda f: f ** 3 / (1 + f).ln() if f else f, bits))


def cosh_table(name, count, bits):
    """(cosh(r) - 1 - r^2 / 2) / r^4 in powers of r^2, |r| up to ln(2) / 2."""
    high = LN2 / 2 * Decimal("1.01")

    def function(z):
        return (cosh_rest(z.sqrt()) - z / 2) / (z * z) if z > TINY else Decimal(1) / 24
    show(name, *fit(function, count, Decimal(0), high * high, lambda z: z * z, bits))


def table_log():
    log_table("log", 8, 24)


def table_log_f64():
    log_table("log_f64", 18, 53)


def table_sinh():
    odd_table("sinh", sinh, 3, LN2 / 2 * Decimal("1.01"), 24, Decimal(1) / 6)
    cosh_table("cosh", 2, 24)


def table_sinh_f64():
    odd_table("sinh_f64", sinh, 6, LN2 / 2 * Decimal("1.01"), 53, Decimal(1) / 6)
    cosh_table("cosh_f64", 5, 53)


def table_atan():
    odd_table("atan", atan, 9, Decimal(1), 24, -Decimal(1) / 3)


def table_asin():
    odd_table("asin", asin, 6, Decimal("0.5"), 24, Decimal(1) / 6)


def table_sin():
    odd_table("sin", sine, 5, 2 * atan(Decimal(1)) * Decimal("1.0001"), 24, -Decimal(1) / 6)


def table_sin_f64():
    quarter = atan(Decimal(1)) * Decimal("1.0001")
    odd_table("sin_f64", sine, 6, quarter, 53, -Decimal(1) / 6)

    def rest(z):
        return series(Decimal(1) / 24, lambda n: -z / ((2 * n + 3) * (2 * n + 4)))
    show("cos_f64", *fit(rest, 6, Decimal(0), quarter * quarter, lambda z: z * z, 53))


def table_log2_pair():
    """(log2((1 + s) / (1 - s)) / s - c - d s^2) / s^4 in powers of s^2; c and d are the first two coefficients."""
    end = (Decimal(2).sqrt() - 1) / (Decimal(2).sqrt() + 1) * Decimal("1.00001")

    def rest(z):
        return 2 / LN2 * sum(power(z, n) / (2 * n + 5) for n in range(60))
    show("log2_pair", *fit(rest, 8, Decimal(0), end * end,
                           lambda z: z * z / (2 / LN2 * (1 + z / 3) + z * z * rest(z)), 53))
    for c in (2 / LN2, 2 / LN2 / 3):
        print("    %s %s" % (float(rounded(c, 53)).hex(), float(rounded(c - rounded(c, 53), 53)).hex()))


def table_tan():
    odd_table("tan", tangent, 6, atan(Decimal(1)) * Decimal("1.0001"), 24, Decimal(1) / 3)


def table_erf():
    """-log2(1 - erf(x)) / x up to 3.925, from where on erf(x) is 1."""
    def function(x):
        return -(1 - erf(x)).ln() / (x * LN2)
    show("erf", *fit(function, 9, Decimal("1e-6"), Decimal("3.925"), lambda x: x * LN2 * (1 - erf(x)) / erf(x), 24))


TABLES = {"exp": table_exp, "exp_f64": table_exp_f64, "exp2": table_exp2, "log2": table_log2, "log": table_log,
          "log_f64": table_log_f64, "sinh": table_sinh, "sinh_f64": table_sinh_f64, "atan": table_atan,
          "asin": table_asin, "sin": table_sin, "sin_f64": table_sin_f64, "log2_pair": table_log2_pair,
          "tan": table_tan, "erf": table_erf}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or TABLES:
        TABLES[chosen]()
