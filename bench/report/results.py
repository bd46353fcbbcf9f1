"""Reads result files and checks them against the schema of bench/results/README.md.

What is wrong is said as file, row and field, in a ResultsError: a table of half-understood numbers is worse than none.
"""

import json
import math
import os
import re

THROUGHPUT = "linefilter-bench-1"
ACCURACY = "linefilter-accuracy-1"
ENGINES = "linefilter-engines-1"
TABLES = "linefilter-tables-1"
CHURN = "linefilter-churn-1"
COLUMNS = "linefilter-columns-1"
JOINS = "linefilter-joins-1"
SCHEMAS = (THROUGHPUT, ACCURACY, ENGINES, TABLES, CHURN, COLUMNS, JOINS)
README = "bench/results/README.md"

LOOKUPS = ("single", "branch", "dependent", "batch", "inlined", "inlined_branch", "inlined_dependent",
           "single_during_inserts", "batch_during_inserts")
FILLS = ("insert_single", "insert_batch", "build", "build_2_threads",
         "fill", "fill_batch", "fill_2_threads", "fill_batch_2_threads")


class ResultsError(Exception):
    """A sentence for the user."""


TEXT, NUMBER, WHOLE = "a text", "a number of at least 0", "a whole number"
YES_NO, LIST, TIMES = "true or false", "a list of texts", "a list of numbers of at least 0"
CHECKS = {
    TEXT: lambda v: isinstance(v, str) and v != "",
    NUMBER: lambda v: type(v) in (int, float) and math.isfinite(v) and v >= 0,
    WHOLE: lambda v: type(v) is int or (type(v) is float and v.is_integer()),
    YES_NO: lambda v: isinstance(v, bool),
    TIMES: lambda v: isinstance(v, list) and all(CHECKS[NUMBER](item) for item in v),
    LIST: lambda v: isinstance(v, list) and all(isinstance(item, str) for item in v),
}

CONTEXT = {"cpu": TEXT, "cores": WHOLE, "caches": LIST, "governor": TEXT, "huge_pages": TEXT, "kernel": TEXT,
           "compiler": TEXT, "flags": TEXT, "commit": TEXT, "date": TEXT, "targets": LIST, "counters": TEXT,
           "missing_peers": LIST, "program": TEXT, "virtual": YES_NO}
THROUGHPUT_CONTEXT = {"effort": TEXT, "words": WHOLE}
ROW = {"row": TEXT, "access": TEXT, "keys": TEXT, "hit_percent": WHOLE, "layout": TEXT, "origin": TEXT, "target": TEXT,
       "floor": YES_NO, "size": TEXT, "body_bytes": WHOLE, "ns": NUMBER, "ns_min": NUMBER, "ns_max": NUMBER,
       "repetitions": WHOLE}
FILTER_ROW = {"image_bytes": WHOLE, "asked_bits_per_key": NUMBER, "bits_per_key": NUMBER, "num_keys": WHOLE,
              "num_probes": WHOLE}
FPR_ROW = {"fpr": NUMBER, "fpr_queries": WHOLE, "expected_fpr": NUMBER}
COUNTERS = {"cycles": NUMBER, "instructions": NUMBER, "cache_misses": NUMBER}
MEMORY = {"huge_page_percent": NUMBER}
BY_RATE = {"rate_goal": NUMBER, "lines": NUMBER}
ROUNDS = {"ns_each": TIMES, "group_began_ms": WHOLE}
ENGINE_ROW = {"engine": TEXT, "origin": TEXT, "filter": TEXT, "asked_bits_per_key": NUMBER, "num_keys": WHOLE,
              "value_bytes": WHOLE, "block_bytes": WHOLE, "keys_per_filter": NUMBER, "filter_bytes": WHOLE,
              "bits_per_key": NUMBER, "expected_fpr": NUMBER, "model_fpr": NUMBER, "gets": WHOLE, "false_positives": WHOLE,
              "fpr": NUMBER, "ns": NUMBER, "ns_each": TIMES}
MULTI_GET = {"multi_get_ns": NUMBER, "multi_get_ns_each": TIMES}
TABLE_ROW = {"filter": TEXT, "mapped": YES_NO, "verified": YES_NO, "num_tables": WHOLE, "keys_per_table": WHOLE, "value_bytes": WHOLE,
             "block_bytes": WHOLE, "filter_bytes": WHOLE, "bits_per_key": NUMBER, "expected_fpr": NUMBER, "gets": WHOLE,
             "absent_blocks": WHOLE, "absent_ns": NUMBER, "absent_ns_each": TIMES, "present_blocks": WHOLE, "present_ns": NUMBER,
             "present_ns_each": TIMES, "open_us": NUMBER}
DAMAGES = {"damages": WHOLE, "denied_keys": WHOLE, "lost_keys": WHOLE}
SET_ROW = {"filter": TEXT, "bits_per_key": NUMBER, "num_keys": WHOLE, "fpr": NUMBER, "fpr_queries": WHOLE, "own_fpr": NUMBER,
           "model_fpr": NUMBER, "lost_keys": WHOLE}
CHURN_ROW = {"filter": TEXT, "origin": TEXT, "order": TEXT, "asked_bits_per_key": NUMBER, "bits_per_key": NUMBER, "num_keys": WHOLE,
             "turnovers": WHOLE, "fpr": NUMBER, "fpr_queries": WHOLE, "own_fpr": NUMBER, "model_fpr": NUMBER, "insert_ns": NUMBER,
             "remove_ns": NUMBER, "lost_keys": WHOLE, "refused_keys": WHOLE}
COLUMN_ROW = {"what": TEXT, "layout": TEXT, "size": TEXT, "percent": WHOLE, "target": TEXT, "ns": NUMBER, "ns_each": TIMES}
COLUMN_WHATS = ("select", "batch", "engine_loop", "hash", "text", "text_nulls", "dictionary", "no_filter", "scan_filter")
JOIN_ROW = {"build_rows": WHOLE, "probe_rows": WHOLE, "percent": NUMBER, "target": TEXT, "layout": TEXT, "bits_per_key": NUMBER,
            "found_rows": WHOLE, "without_ns": NUMBER, "columns_ns": NUMBER, "one_by_one_ns": NUMBER, "filter_ns": NUMBER,
            "table_bytes": WHOLE, "filter_bytes": WHOLE}
MODEL = {"layout": TEXT, "bits_per_key": NUMBER, "num_probes": WHOLE, "expected_fpr": NUMBER}
MEASURED = {"layout": TEXT, "origin": TEXT, "keys": TEXT, "num_keys": WHOLE, "bits_per_key": NUMBER,
            "num_probes": WHOLE, "fpr": NUMBER, "fpr_low": NUMBER, "fpr_high": NUMBER, "confidence": NUMBER,
            "num_queries": WHOLE, "false_positives": WHOLE, "expected_fpr": NUMBER, "false_negatives": WHOLE,
            "seeds": WHOLE}
MEASURED_OPTIONAL = {"asked_bits_per_key": NUMBER}


class Cpu:
    """One throughput file: where it ran, and its rows. Those keyed by rate stand apart: they are of other densities."""

    def __init__(self, path, data):
        self.path = path
        self.slug = os.path.splitext(os.path.basename(path))[0]
        self.context = data["context"]
        self.name = self.context["cpu"]
        for row in data["rows"]:
            row["plan"] = "cpus" if self.is_plan_of_cpus else "full"
        self.rows = [row for row in data["rows"] if not row.get("rate_goal")]
        self.by_rate = [row for row in data["rows"] if row.get("rate_goal")]
        self.by_rate_context = self.context

    @property
    def is_plan_of_cpus(self):
        """A file of linefilter_bench --plan cpus, which has rows by rate and few others."""
        return self.context.get("plan") == "cpus"

    def take_rates_of(self, other):
        """Of the same CPU: what the file of the full plan does not have."""
        self.by_rate, self.by_rate_context = other.by_rate, other.context


class Results:
    def __init__(self):
        self.cpus = []        # by slug
        self.accuracy = None  # {"context", "model", "measured"} or None
        self.engines = None   # {"context", "rows"} or None
        self.tables = None    # the same
        self.parquet = None   # the same, of linefilter_bench --plan parquet
        self.quotient = None  # the same, of linefilter_bench --plan quotient
        self.churn = None     # {"context", "sets", "churn"} or None
        self.columns = None   # {"context", "rows"} or None
        self.joins = None     # the same


def load(paths, allow_fixtures=False):
    """All files together; at least one throughput file."""
    results, accuracy_path, throughput_paths = Results(), None, {}
    single = {ENGINES: ("engines", _check_engines), TABLES: ("tables", _check_tables), CHURN: ("churn", _check_churn),
              COLUMNS: ("columns", _check_columns), JOINS: ("joins", _check_joins)}
    for path in paths:
        data = _read(path)
        schema = data.get("schema")
        if schema not in SCHEMAS:
            known = ", ".join(f"'{one}'" for one in SCHEMAS[:-1])
            raise ResultsError(f"{path}: field 'schema' is {json.dumps(schema)}; this report reads {known} and '{SCHEMAS[-1]}'. "
                               "Measure again with linefilter_bench of this version.")
        _check_context(path, data)
        if data["context"].get("fixture") and not allow_fixtures:
            raise ResultsError(f"{path} is a fixture of the tests, no measurement: leave it out, or say "
                               "--allow-fixtures if this is a test.")
        if schema == ACCURACY:
            if accuracy_path:
                raise ResultsError(f"{accuracy_path} and {path} are both accuracy files: name one of them.")
            accuracy_path = path
            _check_accuracy(path, data)
            results.accuracy = data
            continue
        if schema in single:
            name, check = single[schema]
            if getattr(results, name):
                raise ResultsError(f"{path} is a second file of {name}: name one of them.")
            check(path, data)
            setattr(results, name, data)
            continue
        _check_whole(path, data["context"])
        _check_throughput(path, data)
        plan = data["context"].get("plan")
        if plan in ("parquet", "quotient"):
            if getattr(results, plan):
                raise ResultsError(f"{path} is a second file of --plan {plan}: name one of them.")
            setattr(results, plan, data)
            continue
        cpu = Cpu(path, data)
        for known, other in throughput_paths.items():
            if other.name == cpu.name and other.is_plan_of_cpus == cpu.is_plan_of_cpus:
                raise ResultsError(f"{known} and {path} are both of '{cpu.name}': remove the older one, or, if these "
                                   "are different machines, tell them apart in context.cpu of each.")
        throughput_paths[path] = cpu
    results.cpus = _merged(list(throughput_paths.values()))
    if not results.cpus:
        raise ResultsError("there is no throughput file among the results: run tools/bench.sh, which writes one.")
    results.cpus.sort(key=lambda cpu: cpu.slug)
    return results


def _merged(cpus):
    """A CPU once: rows by rate of the small plan beside the rows of the full one."""
    full = {cpu.name: cpu for cpu in cpus if not cpu.is_plan_of_cpus}
    merged = list(full.values())
    for cpu in cpus:
        if cpu.is_plan_of_cpus and cpu.name in full:
            full[cpu.name].take_rates_of(cpu)
        elif cpu.is_plan_of_cpus:
            merged.append(cpu)
    slugs = {}
    for cpu in merged:
        if cpu.slug in slugs:
            raise ResultsError(f"{cpu.path}: another file is named {cpu.slug}.json too, and plots are named after it: "
                               "rename one of them.")
        slugs[cpu.slug] = cpu
    return merged


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ResultsError(f"{path}: is no JSON ({error}). If linefilter_bench was interrupted while writing, run it "
                           "again.") from error
    if not isinstance(data, dict):
        raise ResultsError(f"{path}: must hold one JSON object, as {README} describes.")
    return data


def _check_fields(where, entry, needed, optional=()):
    if not isinstance(entry, dict):
        raise ResultsError(f"{where}: must be a JSON object, as {README} describes.")
    for field, kind in needed.items():
        if field not in entry:
            raise ResultsError(f"{where}: field '{field}' is missing ({README} describes it).")
    known = {**needed, **dict(optional)}
    for field, value in entry.items():
        if field not in known:
            raise ResultsError(f"{where}: field '{field}' is unknown: {README} names all fields.")
        if not CHECKS[known[field]](value):
            raise ResultsError(f"{where}: field '{field}' must be {known[field]}, it is {json.dumps(value)}.")


def _check_context(path, data):
    context = data.get("context")
    where = f"{path}: context"
    if not isinstance(context, dict):
        raise ResultsError(f"{where}: is missing; it says where the numbers are from.")
    needed = {**CONTEXT, **(THROUGHPUT_CONTEXT if data["schema"] == THROUGHPUT else {})}
    _check_fields(where, {k: v for k, v in context.items() if k in needed}, needed)


def _check_whole(path, context):
    """Whether it is of a run whose times mean something."""
    if context.get("planted"):
        raise ResultsError(f"{path}: its rows are slower on purpose (LINEFILTER_BENCH_SLOW={context['planted']}), which is for a "
                           "test of linefilter_bench compare: leave the file out.")
    if context.get("plan") == "smoke":
        raise ResultsError(f"{path}: is of linefilter_bench --smoke, whose times mean nothing: measure with --plan cpus.")
    if context.get("plan") == "builds":
        raise ResultsError(f"{path}: is of linefilter_bench --plan builds, which asks no filter: measure with --plan cpus.")
    if context.get("complete") is False:
        raise ResultsError(f"{path}: its run was interrupted after {context.get('passes', 0)} passes: measure again.")


def _list(path, data, name):
    entries = data.get(name)
    if not isinstance(entries, list) or not entries:
        raise ResultsError(f"{path}: '{name}' must be a list with at least one entry.")
    return entries


def _check_throughput(path, data):
    seen = set()
    for number, row in enumerate(_list(path, data, "rows")):
        name = row.get("row") if isinstance(row, dict) else None
        where = f"{path}: row '{name}'" if name else f"{path}: row number {number + 1}"
        needed, optional = dict(ROW), {**FILTER_ROW, **FPR_ROW, **COUNTERS, **MEMORY, **ROUNDS, **BY_RATE}
        if isinstance(row, dict) and not row.get("floor"):
            needed.update(FILTER_ROW)
            if row.get("access") in LOOKUPS:
                needed.update(FPR_ROW)
        _check_fields(where, row, needed, optional)
        if row["access"] not in LOOKUPS + FILLS:
            raise ResultsError(f"{where}: field 'access' is '{row['access']}', which {README} does not name.")
        if row["hit_percent"] not in (-1, 0, 50, 100):
            raise ResultsError(f"{where}: field 'hit_percent' must be -1, 0, 50 or 100, it is {row['hit_percent']}.")
        if not row["ns_min"] <= row["ns"] <= row["ns_max"]:
            raise ResultsError(f"{where}: field 'ns' {row['ns']} is not between ns_min {row['ns_min']} and ns_max "
                               f"{row['ns_max']}.")
        if row["repetitions"] < 1:
            raise ResultsError(f"{where}: field 'repetitions' must be at least 1.")
        each = row.get("ns_each")
        if each is not None and len(each) != row["repetitions"]:
            raise ResultsError(f"{where}: field 'ns_each' must have as many times as there are repetitions.")
        if each is not None and [min(each), max(each)] != [row["ns_min"], row["ns_max"]]:
            raise ResultsError(f"{where}: the least and the greatest of field 'ns_each' must be ns_min and ns_max.")
        if not row["floor"] and not (row["ns"] > 0 and row["bits_per_key"] > 0):
            raise ResultsError(f"{where}: fields 'ns' and 'bits_per_key' of a filter must be greater than 0.")
        parts = name.split("/")
        expected = [row["access"], row["keys"], None, row["layout"], row["target"], row["size"], None]
        if len(parts) != 7 or any(want is not None and part != want for part, want in zip(parts, expected)):
            raise ResultsError(f"{where}: field 'row' must be access/keys/hit percent/layout/target/size/bits per key "
                               "of the other fields.")
        if name in seen:
            raise ResultsError(f"{where}: is there twice; each row is unique in a file. Remove one of them.")
        seen.add(name)


def _check_engines(path, data):
    seen = set()
    for number, row in enumerate(_list(path, data, "rows")):
        where = f"{path}: row number {number + 1}"
        _check_fields(where, row, ENGINE_ROW, MULTI_GET)
        _check_once(where, row, ("engine", "filter", "asked_bits_per_key", "value_bytes", "block_bytes"), seen)
        if not (row["ns"] > 0 and row["gets"] > 0 and row["false_positives"] <= row["gets"]):
            raise ResultsError(f"{where}: 'ns' and 'gets' must be greater than 0, 'false_positives' at most 'gets'.")


def _check_tables(path, data):
    seen = set()
    for number, row in enumerate(_list(path, data, "rows")):
        where = f"{path}: row number {number + 1}"
        needed = {**TABLE_ROW, **DAMAGES} if isinstance(row, dict) and "damages" in row else TABLE_ROW
        _check_fields(where, row, needed)
        _check_once(where, row, ("filter", "mapped", "verified", "num_tables", "keys_per_table", "value_bytes", "block_bytes"), seen)
        if not (row["absent_ns"] > 0 and row["present_ns"] > 0 and row["gets"] > 0 and
                max(row["absent_blocks"], row["present_blocks"]) <= row["gets"]):
            raise ResultsError(f"{where}: 'absent_ns', 'present_ns' and 'gets' must be greater than 0, 'absent_blocks' and "
                               "'present_blocks' at most 'gets'.")


def _check_churn(path, data):
    for name, fields in (("sets", SET_ROW), ("churn", CHURN_ROW)):
        seen = set()
        for number, row in enumerate(_list(path, data, name)):
            where = f"{path}: entry {number + 1} of '{name}'"
            _check_fields(where, row, fields)
            key = tuple(row.get(field) for field in ("filter", "order", "asked_bits_per_key", "bits_per_key", "num_keys", "turnovers"))
            if key in seen:
                raise ResultsError(f"{where}: {', '.join(str(part) for part in key if part is not None)} is there twice. Remove one of them.")
            seen.add(key)
            if not (row["fpr"] <= 1 and row["fpr_queries"] > 0 and row["bits_per_key"] > 0):
                raise ResultsError(f"{where}: 'fpr' must be at most 1, 'fpr_queries' and 'bits_per_key' greater than 0.")


def _check_columns(path, data):
    seen = set()
    for number, row in enumerate(_list(path, data, "rows")):
        where = f"{path}: row number {number + 1}"
        _check_fields(where, row, COLUMN_ROW)
        _check_once(where, row, ("what", "layout", "size", "percent", "target"), seen)
        if row["what"] not in COLUMN_WHATS:
            raise ResultsError(f"{where}: field 'what' is '{row['what']}', which {README} does not name.")
        if not -1 <= row["percent"] <= 100:
            raise ResultsError(f"{where}: field 'percent' must be from -1 to 100, it is {row['percent']}.")
        if not (row["ns_each"] and 0 < min(row["ns_each"]) <= row["ns"] <= max(row["ns_each"])):
            raise ResultsError(f"{where}: field 'ns' must be greater than 0, and among the times of 'ns_each'.")


def _check_joins(path, data):
    seen = set()
    for number, row in enumerate(_list(path, data, "rows")):
        where = f"{path}: row number {number + 1}"
        _check_fields(where, row, JOIN_ROW)
        _check_once(where, row, ("build_rows", "probe_rows", "percent", "target", "layout", "bits_per_key"), seen)
        if not (0 < row["percent"] <= 100 and 0 < row["build_rows"] and row["found_rows"] <= row["probe_rows"]):
            raise ResultsError(f"{where}: 'percent' must be above 0 and at most 100, 'build_rows' greater than 0, 'found_rows' at most "
                               "'probe_rows'.")
        if not min(row[field] for field in ("without_ns", "columns_ns", "one_by_one_ns", "filter_ns")) > 0:
            raise ResultsError(f"{where}: 'without_ns', 'columns_ns', 'one_by_one_ns' and 'filter_ns' must be greater than 0.")


def _check_once(where, row, fields, seen):
    key = tuple(row[field] for field in fields)
    if key in seen:
        raise ResultsError(f"{where}: {', '.join(str(part) for part in key)} is there twice. Remove one of them.")
    seen.add(key)


def _check_accuracy(path, data):
    for name, fields in (("model", MODEL), ("measured", MEASURED)):
        seen = set()
        for number, entry in enumerate(_list(path, data, name)):
            where = f"{path}: entry {number + 1} of '{name}'"
            _check_fields(where, entry, fields, MEASURED_OPTIONAL if name == "measured" else ())
            key = tuple(entry.get(field) for field in ("layout", "keys", "num_keys", "bits_per_key"))
            if key in seen:
                text = ", ".join(str(part) for part in key if part is not None)
                raise ResultsError(f"{where}: {text} is there twice. Remove one of them.")
            seen.add(key)
            if name == "measured" and not entry["fpr_low"] <= entry["fpr"] <= entry["fpr_high"]:
                raise ResultsError(f"{where}: field 'fpr' is not between fpr_low and fpr_high.")


def size_bytes(name):
    """"24KB" -> 24576."""
    match = re.fullmatch(r"(\d+)(B|KB|MB|GB)", name)
    if not match:
        raise ResultsError(f"size '{name}' is not a number with B, KB, MB or GB, like 24KB.")
    return int(match[1]) << {"B": 0, "KB": 10, "MB": 20, "GB": 30}[match[2]]
