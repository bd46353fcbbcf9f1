"""RedisFilter, with a server that is started here."""

import copy
import pickle
import re
import threading
from dataclasses import replace

import numpy as np
import pytest

import linefilter
from conftest import LAYOUTS, SECRET
from forked import WORKS, fork
from linefilter import Deadlines, RedisFilter, RedisServers
from redis_server import Server

BUILT = hasattr(linefilter._linefilter, "Redis")
pytestmark = pytest.mark.skipif(not BUILT, reason="linefilter was built without Redis (libhiredis-dev)")
LONG = 60.0  # seconds for what is to be answered, on whatever machine: a command that is sent again finds its own bits
KEYS = np.arange(3000)
OTHERS = KEYS + 10**9


def patient(address):
    return RedisServers(address, deadlines=Deadlines(request=LONG, admin=LONG, connect=LONG, reply=LONG, pause=0))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("redis"))
    yield started
    started.kill()


@pytest.fixture
def at(server):
    assert server.ask("FLUSHALL").startswith(b"+OK")
    return patient(server.address)


@pytest.fixture
def other(tmp_path):
    """A server that the test may stop and kill."""
    started = Server(tmp_path)
    yield started
    started.kill()


def test_one_makes_it_and_others_open_it(at):
    with RedisFilter.create(at, "seen", 3000, fpr=0.001) as made, RedisFilter.open(at, b"seen") as opened:
        assert made.add("a") is True and opened.add("a") is False and made.add(b"a") is False
        assert "a" in opened and "b" not in opened and made.add(7) and np.uint64(7) in opened
        assert 2990 < opened.add_many(KEYS) < 3000 and made.contains_many(KEYS).all()  # 7 was there
        assert made.contains_many(OTHERS).mean() < 0.01
        assert made.add_many(f"key-{i}" for i in range(10)) == 10
        assert opened.contains_many(["key-1", "no", b"key-9"]).tolist() == [True, False, True]
        assert made.name == "seen" and opened.name == b"seen"
        assert (opened.layout, opened.hash_id, opened.seed) == ("blocked", "xxh3", 0)
        assert opened.body_bytes == 64 * opened.num_blocks and opened.num_probes > 5
        assert opened.generation == made.generation != 0
        assert "'seen': blocked" in repr(made)
    assert made.closed and "closed" in repr(made)
    for call in (lambda: made.add("a"), lambda: "a" in made, made.info, made.__enter__):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_each_new_key_is_told_once(at):
    seen = RedisFilter.create(at, "seen", 10000, fpr=0.0001, layout="classic")
    square = KEYS[:2500].reshape(50, 50)
    were_new = seen.add_new(square)
    assert were_new.shape == (50, 50) and were_new.dtype == np.bool_ and were_new.mean() > 0.99
    assert not seen.add_new(square).any() and seen.add_many(square) == 0
    assert seen.contains_many(square).shape == (50, 50)
    assert seen.add_new(["a", "b", "a"])[:2].all() and seen.add_new([]).shape == (0,) and seen.add_many([]) == 0
    objects = np.array([["x", b"y"], [5000, "z"]], dtype=object)
    assert seen.add_new(objects).shape == seen.contains_many(objects).shape == (2, 2)
    with pytest.raises(TypeError):
        seen.add_many([1.5])


def test_hashes(at):
    seen = RedisFilter.create(at, "seen", 10000, fpr=0.001, seed=5)
    hashes = linefilter.hash_keys(KEYS, seed=5)
    assert seen.add_hashes(hashes) > 2990 and seen.contains_many(KEYS).all() and seen.contains_hashes(hashes).all()
    assert seen.add_hash(1) and seen.contains_hash(1) and not seen.contains_hash(2**63)
    own = RedisFilter.create(at, "own", 10000, fpr=0.001, caller_hashes=True)
    assert own.hash_id == "caller" and own.add_hashes(hashes) > 2990 and own.contains_hashes(hashes).all()
    for call in (lambda: own.add("a"), lambda: "a" in own, lambda: own.add_many(KEYS), lambda: own.contains_many(["a"])):
        with pytest.raises(linefilter.IncompatibleError):
            call()


def test_secret(at):
    guarded = RedisFilter.create(at, "guarded", 3000, fpr=0.001, secret=SECRET)
    guarded.add_many(KEYS)
    assert guarded.hash_id == "keyed" and guarded.seed is None and guarded.info().seed is None
    assert RedisFilter.open(at, "guarded", secret=SECRET).contains_many(KEYS).all()
    for secret in (None, bytes(15) + b"x"):
        with pytest.raises(linefilter.IncompatibleError):
            RedisFilter.open(at, "guarded", secret=secret)
    view = linefilter.FilterView(guarded.to_bytes(), secret=SECRET, verify="whole")
    assert view.contains_many(KEYS).all()
    again = RedisFilter.from_image(at, "again", view, secret=SECRET)
    assert again.contains_many(KEYS).all() and again.contains_many(OTHERS).mean() < 0.01


@pytest.mark.parametrize("layout", LAYOUTS)
def test_images_go_in_and_out(at, layout, tmp_path):
    image = linefilter.build(KEYS, bits_per_key=48, layout=layout).to_bytes()
    seen = RedisFilter.from_image(at, "seen", image, shard_bytes=0 if layout == "classic" else 4096)
    assert seen.layout == layout and seen.contains_many(KEYS).all() and seen.contains_many(OTHERS).mean() < 0.05
    out = seen.to_bytes()
    assert len(out) == seen.image_bytes and linefilter.FilterView(out, verify="whole").contains_many(KEYS).all()
    seen.save(tmp_path / "seen.filter")
    assert (tmp_path / "seen.filter").read_bytes() == out
    with pytest.raises(FileNotFoundError):
        seen.save(tmp_path / "no" / "folder")
    with pytest.raises(linefilter.CorruptError):
        RedisFilter.from_image(at, "damaged", image[:-1])
    if layout == "retrieval":
        with pytest.raises(linefilter.IncompatibleError):
            seen.add("a")
    else:
        assert seen.add("a") and "a" in seen


def test_a_container_of_stages(at):
    window = linefilter.RotatingFilter(3000, generations=3, fpr=0.001)
    window.add_many(KEYS)
    seen = RedisFilter.from_image(at, "window", window.to_bytes())
    assert seen.layout == "container" and seen.contains_many(KEYS).all() and seen.info().num_stages == 3
    assert linefilter.FilterView(seen.to_bytes(), verify="whole").contains_many(KEYS).all()


def test_what_is_foldable_in_redis_can_be_folded_here(at):
    seen = RedisFilter.create(at, "seen", 10_000, bits_per_key=12, foldable=True)
    assert seen.num_blocks % 64 == 0
    seen.begin_generation(20_000, bits_per_key=12, num_probes=5, foldable=True)
    seen.switch_generation()
    seen.add_many(KEYS)
    assert seen.num_blocks % 64 == 0 and seen.num_probes == 5
    folded = linefilter.BlockedFilter.from_bytes(seen.to_bytes())
    folded.fold(2)
    assert folded.contains_many(KEYS).all()


def test_load_adds_an_image(at):
    half = linefilter.BlockedFilter(3000, fpr=0.001)
    half.add_many(KEYS[:1500])
    seen = RedisFilter.create(at, "seen", 3000, fpr=0.001)
    seen.add_many(KEYS[1500:])
    seen.load(half.to_bytes())
    assert seen.contains_many(KEYS).all()
    with pytest.raises(linefilter.IncompatibleError):
        seen.load(linefilter.BlockedFilter(9000, fpr=0.001).to_bytes())


def test_info(at):
    seen = RedisFilter.create(replace(at, addresses=[at.addresses, "127.0.0.1:1"]), "seen", 3000, fpr=0.01, shard_bytes=1024)
    seen.add_many(KEYS)
    info = seen.info()
    assert info.layout == "blocked" and info.capacity == 3000 and info.shard_bytes == 1024
    assert info.num_shards == -(-info.body_bytes // 1024) > 1 and info.num_masters == 1 and not info.cluster
    assert 0 < info.sampled_bytes <= info.body_bytes and 2500 < info.approximate_size.keys < 3500
    assert 0 < info.approximate_size.error < 100 and not info.over_capacity
    assert info.room_for(0.001) == 0 and 300 < info.room_for(0.02) < 3000
    assert 0.001 < info.expected_fpr < 0.02 and 0.3 < info.fill_ratio < 0.6
    assert info.next_generation is info.previous_generation is info.expires_in is None and info.num_lost_shards == 0
    seen.expire(1000)
    assert 0 < seen.info().expires_in <= 1000
    seen.expire(None)
    assert seen.info().expires_in is None
    for seconds in (0, -1):
        with pytest.raises(linefilter.InvalidArgumentError, match="seconds"):
            seen.expire(seconds)


def test_generations(at):
    old = RedisFilter.create(at, "seen", 3000, fpr=0.01)
    reader = RedisFilter.open(at, "seen")
    old.add_many(KEYS)
    before = reader.generation
    old.begin_generation(6000, fpr=0.001)
    with pytest.raises(linefilter.IncompatibleError):
        old.begin_generation(6000, fpr=0.001)
    assert old.info().next_generation is not None
    reader.add("while it is made")
    old.add_many_to_next(KEYS[:1000])
    assert reader.contains_many(KEYS).all()
    old.switch_generation()
    assert reader.contains_many(KEYS[:1000]).all() and reader.contains_many(KEYS[1000:]).mean() < 0.01
    assert "while it is made" in reader and reader.generation != before and old.info().previous_generation is None
    old.begin_generation(5, fpr=0.1)
    old.abandon_generation()
    assert old.info().next_generation is None and reader.contains_many(KEYS[:1000]).all()
    with pytest.raises(linefilter.IncompatibleError):  # keys that come meanwhile could not follow into it
        old.begin_generation_from_image(linefilter.build(KEYS, fpr=0.001, layout="retrieval"))
    old.begin_generation_from_image(linefilter.build(KEYS, fpr=0.001, layout="classic"))
    old.switch_generation()
    assert reader.contains_many(KEYS).all() and reader.layout == "classic" and reader.to_bytes()
    image = linefilter.build(KEYS, fpr=0.01, layout="blocked")
    old.begin_generation(3000, fpr=0.01)
    old.load_next(image)
    old.switch_generation()
    assert reader.contains_many(KEYS).all() and reader.add("again")


def test_what_is_not_there_and_what_is_not_ours(at, server):
    with pytest.raises(LookupError, match="seen") as caught:
        RedisFilter.open(at, "seen")
    assert isinstance(caught.value, linefilter.NotFoundError)
    with pytest.raises(linefilter.NotFoundError):
        RedisFilter.delete(at, "seen")
    RedisFilter.create(at, "seen", 5, fpr=0.1)
    with pytest.raises(linefilter.IncompatibleError, match="seen"):
        RedisFilter.create(at, "seen", 5, fpr=0.1)
    RedisFilter.delete(at, "seen")
    assert server.ask("DBSIZE") == b":0\r\n"
    server.ask("SET text hello")
    for call in (lambda: RedisFilter.open(at, "text"), lambda: RedisFilter.delete(at, "text")):
        with pytest.raises(linefilter.LinefilterError):
            call()
    assert b"hello" in server.ask("GET text")
    for name in ("", "x" * 300, "a\nb", "a\udcff"):
        with pytest.raises(linefilter.InvalidArgumentError):
            RedisFilter.create(at, name, 5, fpr=0.1)
    for bad in (5, None):
        with pytest.raises(TypeError):
            RedisFilter.open(at, bad)
        with pytest.raises(TypeError):
            RedisFilter.open(bad, "seen")
    with pytest.raises(linefilter.InvalidArgumentError):
        RedisFilter.open(replace(at, deadlines=Deadlines(reply=-1)), "seen")
    for servers in (replace(at, password=b"hush"), replace(at, user=5, password="hush")):
        with pytest.raises(TypeError) as told:
            RedisFilter.open(servers, "seen")
        assert "hush" not in str(told.value)
    with pytest.raises(linefilter.InvalidArgumentError, match="password") as told:
        RedisFilter.open(replace(at, password="hush\udcff"), "seen")
    assert "hush" not in repr(told.value) and told.value.__suppress_context__


def test_errors_have_the_names_of_python(at, other):
    """Those of C++ end in _ms, and stand behind "::"."""
    RedisFilter.create(at, "seen", 5, fpr=0.1)
    lonely = RedisFilter.open(replace(at, wait_replicas=1, wait=0.001), "seen")
    silent = RedisServers(other.address, deadlines=Deadlines(reply=0.01, admin=0.1))
    other.stop()
    calls = {
        "wait_replicas, wait)": lambda: lonely.add("a"),
        "Deadlines.admin": lambda: RedisFilter.open(silent, "seen"),
        "Deadlines.reply and connect are at least 0.001": lambda: RedisFilter.open(replace(at, deadlines=Deadlines(reply=0)), "seen"),
        "RedisServers.addresses": lambda: RedisFilter.open("127.0.0.1:99999", "seen"),
        "RedisServers.tls_ca is given without RedisServers.tls,": lambda: RedisFilter.open(replace(at, tls_ca="ca.pem"), "seen"),
        "RedisServers.database": lambda: RedisFilter.open(replace(at, database=99), "seen"),
        "RedisServers.password": lambda: RedisFilter.open(replace(at, password="hush"), "seen"),
    }
    for names, call in calls.items():
        with pytest.raises(linefilter.LinefilterError) as told:
            call()
        assert names in str(told.value) and "::" not in str(told.value) and "_ms" not in str(told.value)
        assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)


def test_what_redis_lost_is_never_absent(at, server):
    seen = RedisFilter.create(at, "seen", 3000, fpr=0.01)
    seen.add_many(KEYS)
    server.ask("FLUSHALL")
    with pytest.raises(linefilter.LinefilterError):
        5 in seen  # noqa: B015
    with pytest.raises(linefilter.LinefilterError):
        seen.contains_many(KEYS)
    for keys, shape in ((KEYS, KEYS.shape), (np.array([["a", 5]], dtype=object), (1, 2)), (iter(["a", 5, 6]), (3,))):
        with pytest.raises(linefilter.LinefilterError) as caught:
            seen.add_many(keys)
        assert caught.value.failed.all() and not caught.value.were_new.any()
        assert caught.value.failed.shape == caught.value.were_new.shape == shape


def test_a_lookup_that_fails_tells_which_keys_were_answered(at, server):
    seen = RedisFilter.create(at, "seen", 30000, fpr=0.01, shard_bytes=4096)
    seen.add_many(KEYS)
    server.ask("DEL " + re.search(rb"\{seen:[0-9a-f]+:1\}", server.ask("KEYS *")).group().decode())
    others = np.arange(10**6, 10**6 + 2000).reshape(40, 50)
    with pytest.raises(linefilter.CorruptError) as caught:
        seen.contains_many(others)
    failed, absent = caught.value.failed, caught.value.were_absent
    assert failed.shape == absent.shape == others.shape
    assert 0 < failed.mean() < 0.5 and absent.mean() > 0.4
    assert not (failed & absent).any() and (failed | absent).mean() > 0.98


def test_a_server_that_is_gone(other):
    seen = RedisFilter.create(other.address, "seen", 3000, fpr=0.01)
    other.kill()
    with pytest.raises(ConnectionError) as caught:
        seen.add_new(KEYS.reshape(60, 50))
    assert isinstance(caught.value, linefilter.UnavailableError) and caught.value.code == "unavailable"
    assert caught.value.failed.shape == (60, 50) and caught.value.failed.all()
    with pytest.raises(linefilter.UnavailableError):
        "a" in seen  # noqa: B015


def test_a_server_that_is_ill_is_not_asked_again_and_again(other):
    seen = RedisFilter.create(replace(patient(other.address), deadlines=Deadlines(pause=100)), "seen", 3000, fpr=0.01)
    lenient = replace(patient(other.address), deadlines=Deadlines(pause=100), on_unavailable="maybe", maybes_per_second=1e-6)
    maybe = RedisFilter.open(lenient, "seen")
    other.kill()
    for _ in range(3):
        with pytest.raises(linefilter.UnavailableError):
            "a" in seen  # noqa: B015
    (node,) = seen.nodes()
    assert node["address"] == other.address and node["open"] and node["opened"] == 1 and node["rejected"] >= 2
    assert 0 < node["seconds_to_trial"] <= 100
    assert "a" in maybe, "without an error"
    with pytest.raises(linefilter.UnavailableError):
        "a" in maybe  # noqa: B015
    with pytest.raises(linefilter.UnavailableError):
        maybe.add("a")


def test_a_call_may_have_a_deadline_of_its_own(other):
    seen = RedisFilter.create(patient(other.address), "seen", 3000, fpr=0.01)
    other.stop()
    for call in (lambda: "a" in seen.within(0.02), lambda: seen.within(0.02).add("a"), lambda: seen.within(0.02).info()):
        with pytest.raises(linefilter.UnavailableError, match="RedisFilter.within|127.0.0.1"):
            call()
    other.go_on()
    assert "a" not in seen, "it was for one call"


def test_others_run_while_it_waits(other):
    """The server sleeps until the other thread wakes it, which takes the GIL."""
    seen = RedisFilter.create(patient(other.address), "seen", 3000, fpr=0.01)
    other.stop()
    results = []
    waiting = threading.Thread(target=lambda: results.append(seen.add("a")))
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive() and results == []
    other.go_on()
    waiting.join()
    assert results == [True]


def test_threads_share_one(at):
    seen = RedisFilter.create(at, "seen", 20000, fpr=0.0001)
    counts, parts = [], np.array_split(np.arange(8000), 40)

    def work():
        counts.append(sum(seen.add_many(part) for part in parts))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 7990 < sum(counts) <= 8000 and seen.contains_many(np.arange(8000)).all()


def test_no_connection_crosses_a_fork(at):
    seen = RedisFilter.create(at, "seen", 3000, fpr=0.01)
    seen.add("a")

    def question():
        with pytest.raises(linefilter.InvalidArgumentError, match="another process"):
            "a" in seen  # noqa: B015
        assert "a" in RedisFilter.open(at, "seen")

    assert fork(question) == WORKS
    assert "a" in seen


def test_after_a_fork_nothing_waits_for_ever(other):
    """The other thread holds the mutex for as long as the server sleeps; in the child there is no such thread."""
    seen = RedisFilter.create(patient(other.address), "seen", 3000, fpr=0.01)
    other.stop()
    waiting = threading.Thread(target=lambda: seen.add("a"))
    waiting.start()
    waiting.join(0.1)

    def question():
        assert "another process" in repr(seen) and not seen.closed
        for fact in ("layout", "num_probes", "num_blocks", "body_bytes", "generation", "image_bytes"):
            with pytest.raises(linefilter.InvalidArgumentError, match="another process"):
                getattr(seen, fact)

    end = fork(question)
    other.go_on()
    waiting.join()
    assert end == WORKS and "'seen': blocked" in repr(seen)


def test_it_is_not_copied(at):
    seen = RedisFilter.create(at, "seen", 5, fpr=0.1)
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="open it again"):
            call(seen)
