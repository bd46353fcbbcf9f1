"""ScanFilter: it asks as long as that leaves rows out, follows what it asks, and is never wrong."""

import threading

import numpy as np
import pytest

import linefilter

N = 8192
MEMBERS, OTHERS = np.arange(N), np.arange(N) + 10**6


def filled(column=MEMBERS):
    filter = linefilter.BlockedFilter(N, fpr=1e-5)
    filter.add_column(column)
    return filter


def run(scan, values, times):
    return sum(scan.select(values).size for _ in range(times))


def test_asks_as_long_as_that_pays():
    scan = linefilter.ScanFilter(filled())
    assert scan.asks and scan.num_rows == scan.num_asked == scan.num_maybes == 0
    assert run(scan, OTHERS, 10) < 100 and scan.asks and scan.num_asked == 10 * N
    assert run(scan, MEMBERS, 50) == 50 * N and not scan.asks
    assert scan.num_rows == 60 * N and scan.num_asked < 20 * N and scan.num_maybes <= scan.num_asked - 9 * N
    assert scan.select(OTHERS).tolist() == list(range(N))  # unasked
    run(scan, OTHERS, 60)
    assert scan.asks and scan.select(OTHERS).size < 100
    assert "asks" in repr(scan)


def test_the_share_is_chosen():
    always = linefilter.ScanFilter(filled(), 1)
    assert run(always, MEMBERS, 20) == 20 * N and always.num_asked == 20 * N
    half = np.where(MEMBERS % 2 == 0, MEMBERS, OTHERS)
    often, seldom = linefilter.ScanFilter(filled()), linefilter.ScanFilter(filled(), max_passed=0.25)
    assert run(often, half, 20) < 11 * N and often.asks
    assert run(seldom, half, 20) > 15 * N and seldom.num_asked < 5 * N
    for share in (-0.1, 1.5, float("nan")):
        with pytest.raises(linefilter.InvalidArgumentError, match="share"):
            linefilter.ScanFilter(filled(), share)
    with pytest.raises(TypeError):
        linefilter.ScanFilter(filled(), "0.9")


def test_a_long_column_is_judged_as_its_parts():
    scan, by_parts = linefilter.ScanFilter(filled()), linefilter.ScanFilter(filled())
    column = np.concatenate([OTHERS, np.tile(MEMBERS, 20), np.tile(OTHERS, 20)])
    rows = scan.select(column)
    parts = [part + i * 4096 for i, part in enumerate(by_parts.select(part) for part in np.split(column, column.size // 4096))]
    assert np.array_equal(rows, np.concatenate(parts))
    assert (scan.num_rows, scan.num_asked, scan.num_maybes) == (by_parts.num_rows, by_parts.num_asked, by_parts.num_maybes)
    assert column.size > scan.num_asked and set(filled().select(column).tolist()) <= set(rows.tolist())


def test_columns_of_every_kind():
    scan = linefilter.ScanFilter(filled(np.array(["2026-01-01"], "M8[D]")))
    times = np.array(["2026-01-01", "NaT", "2026-01-02"], "M8[s]")
    assert scan.select(times).tolist() == [0] and scan.select(times, nulls="always").tolist() == [0, 1]
    pair = linefilter.BlockedFilter(10, fpr=1e-5, caller_hashes=True)
    pair.add_column((MEMBERS[:5], MEMBERS[:5]))
    assert linefilter.ScanFilter(pair).select((MEMBERS[:9], MEMBERS[:9])).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(linefilter.IncompatibleError):
        scan.select(MEMBERS)
    assert scan.select(times).tolist() == [0] and scan.select(times[:0]).size == 0


def test_follows_what_serves():
    swappable = linefilter.SwappableFilter()
    scan = linefilter.ScanFilter(swappable)
    assert scan.select(OTHERS).size == N and scan.num_rows == N and scan.num_asked == 0  # nothing serves
    swappable.swap(filled())
    assert run(scan, MEMBERS, 20) == 20 * N and not scan.asks
    swappable.swap(filled(OTHERS))
    assert scan.select(MEMBERS).size < 100 and scan.asks and scan.num_rows == 22 * N
    assert scan.select(OTHERS).size == N


def test_what_it_asks():
    broken = linefilter.FilterView(b"no image", verify="whole", broken="maybe")
    assert linefilter.ScanFilter(broken).select(OTHERS).size == N
    view = linefilter.ScanFilter(linefilter.FilterView(filled().to_bytes(), verify="whole"))  # it keeps it
    assert view.select(OTHERS).size < 100
    for wrong in (None, "filter", linefilter.FilterBuilder(fpr=0.1)):
        with pytest.raises(TypeError, match="in memory"):
            linefilter.ScanFilter(wrong)


def test_a_closed_file_is_not_asked(tmp_path):
    filled().save(tmp_path / "filter")
    with linefilter.FilterFile(tmp_path / "filter") as file:
        scan = linefilter.ScanFilter(file)
        assert scan.select(OTHERS).size < 100
    with pytest.raises(ValueError, match="closed"):
        scan.select(OTHERS)
    with pytest.raises(ValueError, match="closed"):
        linefilter.ScanFilter(file)


def test_several_threads_lose_no_row(hurried):
    filter = filled()
    scan, answers = linefilter.ScanFilter(filter), []
    column = np.concatenate([MEMBERS, OTHERS])

    def ask():
        for _ in range(20):
            answers.append(set(scan.select(column).tolist()))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    filter.add_column(OTHERS[:10])
    for thread in threads:
        thread.join()
    assert len(answers) == 40 and all(set(range(N)) <= rows for rows in answers)
