"""linefilter.parquet: filters for a number of values, for a budget, and folded; what is written of them."""

import numpy as np
import pytest

import linefilter
from linefilter import parquet

NUMBERS = np.arange(100_000)
HASHES = parquet.hash_values(NUMBERS, "INT64")
STRANGERS = parquet.hash_values(NUMBERS + 10**9, "INT64")


def rate(filter):
    return parquet.ParquetFilterView(parquet.to_bytes(filter)).contains_hashes(STRANGERS).mean()


@pytest.mark.parametrize("values, fpr, bytes_of_it", [(10_000, 0.05, 9_056), (10_000, 0.01, 13_184), (100_000, 0.01, 131_616)])
def test_for_a_number_of_values(values, fpr, bytes_of_it):
    """The sizes of the guide."""
    made = parquet.create(values, fpr)
    assert made.body_bytes == parquet.bitset_bytes(values, fpr) == bytes_of_it and made.capacity == values
    made.add_hashes(HASHES[:values])
    view = parquet.ParquetFilterView(parquet.to_bytes(made))
    assert view.contains_hashes(HASHES[:values]).all()
    assert len(parquet.to_bytes(made)) == parquet.filter_bytes(made) == view.filter_bytes
    assert view.expected_fpr() == made.expected_fpr() == pytest.approx(fpr, rel=0.06)
    assert view.contains_hashes(STRANGERS).mean() == pytest.approx(view.expected_fpr(), rel=0.25)
    same = linefilter.SplitBlockFilter(values, fpr=fpr, parquet_hash=True)
    same.add_hashes(HASHES[:values])
    assert parquet.to_bytes(same) == parquet.to_bytes(made)


def test_power_of_two():
    for values in (1, 1000, 100_000, 1e6):
        made = parquet.create(values, 0.01, power_of_two=True)
        assert made.body_bytes == parquet.bitset_bytes(values, 0.01, power_of_two=True)
        assert made.body_bytes & (made.body_bytes - 1) == 0 and made.capacity == values
        assert made.body_bytes / 2 < parquet.bitset_bytes(values, 0.01) <= made.body_bytes


def test_of_a_budget():
    for budget in (0, 1, 32, 1000, 2**20, 2**20 + 31):
        exact, fold, power = (parquet.create_of_bytes(budget, size).body_bytes for size in ("exact", "foldable", "power_of_two"))
        assert exact == max(budget // 32 * 32, 32) and exact * 0.9 <= fold <= exact and power & (power - 1) == 0
        assert exact / 2 < power <= exact
    assert parquet.create_of_bytes(1e6).body_bytes == 1_000_000
    for wrong in ("large", None, 1):
        with pytest.raises(linefilter.InvalidArgumentError, match="no size"):
            parquet.create_of_bytes(100, wrong)
    with pytest.raises(linefilter.OverLimitError):
        parquet.create_of_bytes(10**6, memory_limit=1000)
    with pytest.raises(linefilter.OverLimitError):
        parquet.create(10**6, 0.01, power_of_two=True, memory_limit=1000)


def test_nobody_knows_how_many_values_come():
    made = parquet.create_of_bytes(1 << 20, "foldable")
    made.add_hashes(HASHES)
    before = made.body_bytes
    made.fold_to_fpr(0.01)
    assert made.body_bytes < before / 5 and made.expected_fpr() <= 0.01
    assert made.body_bytes < 1.35 * parquet.bitset_bytes(len(NUMBERS), 0.01)
    assert parquet.ParquetFilterView(parquet.to_bytes(made)).contains_hashes(HASHES).all() and rate(made) < 0.012
    full = parquet.create_of_bytes(1 << 10)
    full.add_hashes(HASHES)
    with pytest.raises(linefilter.InvalidArgumentError, match="before any folding"):
        full.fold_to_fpr(0.01)


def test_images_of_builders_and_keys():
    built = linefilter.build(["berlin", "paris"], fpr=0.001, layout="split_block", parquet_hash=True)
    view = parquet.ParquetFilterView(parquet.to_bytes(built))
    string = parquet.ColumnType.of("STRING")
    assert view.may_contain(string, "berlin") and not view.may_contain(string, "rome")
    assert parquet.to_bytes(view) == parquet.to_bytes(built)
    empty = linefilter.build([], fpr=0.01, layout="split_block", parquet_hash=True)
    assert parquet.ParquetFilterView(parquet.to_bytes(empty)).body_bytes == parquet.create(0, 0.01).body_bytes == 32


def test_what_is_not_written():
    for other in (linefilter.Bloom(10), linefilter.BlockedFilter(10, fpr=0.1, parquet_hash=True),
                  linefilter.ScalableFilter(10, fpr=0.1),
                  linefilter.RotatingFilter(10, fpr=0.1), linefilter.build([1], fpr=0.1, layout="retrieval")):  # fmt: skip
        for write in (parquet.to_bytes, parquet.filter_bytes):
            with pytest.raises(linefilter.IncompatibleError, match="takes split_block: make it by linefilter.parquet.create"):
                write(other)
    with pytest.raises(linefilter.IncompatibleError, match="hash xxh3.*parquet_hash=True"):
        parquet.to_bytes(linefilter.SplitBlockFilter(10, fpr=0.1))
    for wrong in (b"bytes", None, 5):
        with pytest.raises(TypeError, match="a filter is written"):
            parquet.to_bytes(wrong)


def test_requests_that_make_no_sense():
    for wrong in (0, 1, 2, -1, float("nan"), 1e-30):
        with pytest.raises(linefilter.InvalidArgumentError):
            parquet.bitset_bytes(1000, wrong)
        for power_of_two in (False, True):
            with pytest.raises(linefilter.InvalidArgumentError, match="^fpr is"):
                parquet.create(1000, wrong, power_of_two=power_of_two)
    for wrong in (-1, 1.5):
        for call in (lambda: parquet.create(wrong, 0.01), lambda: parquet.create_of_bytes(wrong),
                     lambda: parquet.bitset_bytes(wrong, 0.01)):  # fmt: skip
            with pytest.raises(linefilter.InvalidArgumentError):
                call()
    with pytest.raises(TypeError):
        parquet.create("1000", 0.01)
    with pytest.raises(TypeError):
        parquet.create(1000, "0.01")
    with pytest.raises(linefilter.LinefilterError):
        parquet.create(10**12, 0.01)
