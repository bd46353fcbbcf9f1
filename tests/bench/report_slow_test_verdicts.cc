// The report's verdicts are those of the numbers: what was promised of each layout holds, is missed, is undecided, or
// was not measured.
#include "tests/bench/report_slow_test.h"

namespace linefilter::test {
namespace {

TEST(Report, SaysWhichPromisesHold) {
  const std::string patterns = Section(FullPage().text, "### Pattern against pattern");
  const std::string ours = patterns.substr(0, patterns.find("Nothing is promised"));
  EXPECT_TRUE(Contains(ours, "inlined, independent lookups"));
  EXPECT_TRUE(Contains(LineWith(ours, {"- FPR", "measured"}), "**holds within the measurement's error**"));
  EXPECT_TRUE(Contains(LineWith(ours, {"- in cache, AVX-512, k = 11"}), "at least 2.2x: **MISSED**, 2.14x"));
  EXPECT_TRUE(Contains(LineWith(ours, {"- in cache, AVX2"}), "**holds**"));
  EXPECT_TRUE(Contains(LineWith(ours, {"- at any size"}), "at least 0.97x: **holds**"));
}

// The same thresholds against RocksDB's own way, on AVX2; and against it on all targets, where that changes a line.
TEST(Report, ComparesWithPermutations) {
  const std::string patterns = Section(FullPage().text, "### Pattern against pattern");
  const size_t all = patterns.find("The same against `k_independent_permute` on any target");
  ASSERT_NE(all, std::string::npos);
  const std::string avx2 = patterns.substr(patterns.find("Nothing is promised"), all), any = patterns.substr(all);
  const std::string on_avx2 = avx2.substr(0, avx2.find("The same against"));
  EXPECT_TRUE(Contains(on_avx2, "how RocksDB computes this pattern"));
  const std::string small_k = LineWith(on_avx2, {"- in cache, AVX-512, k of at most 8"});
  EXPECT_TRUE(Contains(small_k, "**holds**") && Contains(small_k, "ns on AVX2")) << small_k;
  const std::string worse = LineWith(any, {"- in cache, AVX-512, k of at most 8"});
  EXPECT_TRUE(Contains(worse, "**MISSED**") && !Contains(worse, "ns on AVX2")) << worse;
  EXPECT_FALSE(Contains(any, "- FPR")) << "the same in both lists";
}

// The worst case is that of any share of hits.
TEST(Report, PromisesCountAllSharesOfHits) {
  const std::string page = PageOf([](json* file) {
    for (const auto& [layout, ns] : {std::pair<const char*, double>{"blocked", 2.0}, {"k_independent", 2.1}}) {
      AddLike(file, std::string("inlined/hash/50/") + layout + "/AVX2/1MB/10", {{"hit_percent", 0}}, ns);
    }
  });
  const std::string line = LineWith(page, {"- in cache, AVX2"});
  EXPECT_TRUE(Contains(line, "**MISSED**, 1.05x") && Contains(line, " 0 % hits")) << line;
}

std::string RetrievalOf(const std::string& page) { return Section(page, "### Retrieval and building"); }

// Round by round where both tell their rounds: a noisy machine moves medians, but slows both.
void ExpectRoundsAreCompared() {
  const std::string noisy = PageOf([](json* file) {
    json& ours = RowOf(file, "batch/hash/50/retrieval/AVX3/512MB/10");
    json& theirs = RowOf(file, "batch/hash/50/blocked/AVX3/512MB/10");
    SetRounds(&ours, {30, 10, 4, 90, 6}, 1), SetRounds(&theirs, {10, 5, 2, 30, 2}, 1);
  });
  EXPECT_TRUE(Contains(LineWith(RetrievalOf(noisy), {"| batch, AVX-512", "512MB"}), "3.00x: "))
      << "medians: 2, least: 2";
  const std::string apart = PageOf([](json* file) {  // of two groups: what happened to each, nobody knows
    SetRounds(&RowOf(file, "batch/hash/50/retrieval/AVX3/512MB/10"), {30, 10, 4, 90, 6}, 1);
    SetRounds(&RowOf(file, "batch/hash/50/blocked/AVX3/512MB/10"), {10, 5, 2, 30, 2}, 2);
  });
  EXPECT_TRUE(Contains(LineWith(RetrievalOf(apart), {"| batch, AVX-512", "512MB"}), "2.00x: "));
  const std::string unequal = PageOf([](json* file) {
    SetRounds(&RowOf(file, "batch/hash/50/retrieval/AVX3/512MB/10"), {30, 10, 4, 90, 6}, 1);
    SetRounds(&RowOf(file, "batch/hash/50/blocked/AVX3/512MB/10"), {10, 5, 2}, 1);
  });
  EXPECT_TRUE(Contains(LineWith(RetrievalOf(unequal), {"| batch, AVX-512", "512MB"}), "2.00x: "));
}

TEST(Report, JudgesKeysAndStringsByRowsOfBoth) {
  const std::string line = "| single, 64-bit keys and strings";
  EXPECT_TRUE(Contains(LineWith(RetrievalOf(FullPage().text), {line}), "not measured")) << "no row of strings";
  const std::string both = PageOf([](json* file) {
    AddLike(file, "single/u64/50/retrieval/AVX3/1MB/10", {{"keys", "string"}}, 20);
    AddLike(file, "single/u64/50/rocksdb_bloom/packaged/1MB/10", {{"keys", "string"}}, 25);
  });
  EXPECT_TRUE(Contains(LineWith(RetrievalOf(both), {line}), "| ok "));
}

// What was asked of `retrieval` and of building: each line's verdict is that of the numbers.
TEST(Report, JudgesRetrieval) {
  const auto lines = RetrievalOf;
  const std::string asked = lines(FullPage().text);
  const json a = json::parse(ReadFile(kCpuA));
  const auto ns = [&](const char* row) { return Row(a, row)["ns"].get<double>(); };
  EXPECT_TRUE(Contains(LineWith(asked, {"| FPR, 10 bits"}), "at most 0.168 %"));
  EXPECT_TRUE(Contains(LineWith(asked, {"| FPR, 10 bits"}), "| ok "));
  EXPECT_TRUE(Contains(LineWith(asked, {"| FPR, 16 bits", "0.00661 %"}), "**MISSED**"));
  EXPECT_TRUE(Contains(LineWith(asked, {"| false negatives", "0 of 160000000"}), "| ok "));
  const std::string batch =
      Format(ns("batch/hash/50/retrieval/AVX3/512MB/10") / ns("batch/hash/50/blocked/AVX3/512MB/10"), 2);
  EXPECT_TRUE(Contains(LineWith(asked, {"| batch, AVX-512", "512MB"}), batch + "x: "));
  EXPECT_TRUE(Contains(LineWith(asked, {"| batch, 512 MB", "`binary_fuse_8_own`"}), "| ok "));
  ExpectRoundsAreCompared();
  EXPECT_TRUE(Contains(LineWith(asked, {"| build, one thread, AVX-512", "goal 60"}), "| ok "));
  EXPECT_TRUE(Contains(LineWith(asked, {"| build, one thread, AVX2", "goal 110"}), "**MISSED**"));
  const std::string bulk =
      Format(ns("insert_batch/hash/none/blocked/AVX3/512MB/14.3") / ns("build/hash/none/blocked/AVX3/512MB/14.3"), 2);
  EXPECT_TRUE(Contains(LineWith(asked, {"| bulk build of `blocked`"}), bulk + "x: "));
  const double gain = ns("build/hash/none/retrieval/AVX3/16MB/10") /
                      ns("build_2_threads/hash/none/retrieval/AVX3/16MB/10"),
               possible = ns("build/hash/none/floor_registers/none/16MB/10") /
                          ns("build_2_threads/hash/none/floor_registers/none/16MB/10");
  EXPECT_TRUE(Contains(LineWith(asked, {"| build of `retrieval` on two threads", "**MISSED**"}),
                       Format(gain, 2) + " of " + Format(possible, 2) + " times"));
  EXPECT_TRUE(Contains(LineWith(asked, {"| build of `blocked` on two threads"}), "| ok "));
  EXPECT_EQ(FullPage().text.find("### Retrieval", FullPage().text.find("## Fixture CPU B")), std::string::npos)
      << "no row of it there";

  // The worst of all shares of hits counts, and what is not there is said to be not measured.
  const std::string worse = lines(PageOf([](json* file) {
    for (const auto& [layout, time] : {std::pair<const char*, double>{"blocked", 2.0}, {"retrieval", 2.4}}) {
      AddLike(file, std::string("batch/hash/50/") + layout + "/AVX3/1MB/10", {{"hit_percent", 100}}, time);
    }
  }));
  EXPECT_TRUE(Contains(LineWith(worse, {"| batch, AVX-512", "100 % hits"}), "1.20x: 2.40 to 2.00 ns"));
  EXPECT_TRUE(Contains(LineWith(worse, {"| batch, AVX-512"}), "**MISSED**"));
  const std::string partly = lines(PageOf([](json* file) {
    json& rows = (*file)["rows"];
    rows.erase(std::find(rows.begin(), rows.end(), RowOf(file, "batch/hash/50/blocked/AVX3/512MB/10")));
  }));
  EXPECT_TRUE(Contains(LineWith(partly, {"| batch, AVX-512"}), "not measured")) << "of less than was asked";
  EXPECT_TRUE(Contains(LineWith(worse, {"| false negatives"}), "not measured")) << "without the accuracy file";
  EXPECT_TRUE(Contains(LineWith(worse, {"| FPR, 8 bits"}), "16MB")) << "of the largest filter instead";
  json accuracy = json::parse(ReadFile(kAccuracy));
  for (json& entry : accuracy["measured"]) {
    if (entry["layout"] != "retrieval") continue;
    entry["seeds"] = 1;
    if (entry["bits_per_key"] == 16) entry["fpr_low"] = 0.00006;
  }
  const TempDir dir;
  const std::string few = lines(Page({kCpuA, dir.Write("accuracy.json", accuracy.dump()), "--no-plots"}).text);
  EXPECT_TRUE(Contains(LineWith(few, {"| false negatives"}), "**MISSED**")) << "too few members were asked";
  EXPECT_TRUE(Contains(LineWith(few, {"| FPR, 16 bits"}), "undecided, the interval allows both"));
}

// What was asked of filters that threads fill and ask at once.
TEST(Report, JudgesConcurrency) {
  const auto lines = [](double fill, double single) {
    return Section(
        PageOf([&](json* file) {
          const std::string like = "single/hash/50/blocked/AVX3/16MB/10";
          const json sealed = {{"layout", "blocked_sealed"}, {"origin", "linefilter, sealed"}, {"target", "AVX3"}},
                     ours = {{"layout", "blocked_concurrent"}, {"origin", "linefilter, threads"}};
          const auto add = [&](json peer, const char* access, double ns, int hits = 50) {
            peer.update({{"access", access}, {"hit_percent", hits}});
            AddLike(file, like, peer, ns);
          };
          add(ours, "fill", 40, -1), add(ours, "fill_2_threads", fill, -1);
          add(sealed, "fill", 10, -1);
          add(sealed, "single_during_inserts", 5), add(ours, "single_during_inserts", single);
          add(sealed, "single", 4), add(ours, "single", 4.5);
        }),
        "### Threads that insert and ask at once");
  };
  // The loop in registers gains 3.7 / 1.93 = 1.92 times.
  const std::string good = lines(25, 6), bad = lines(30, 7);
  EXPECT_TRUE(Contains(LineWith(good, {"| insertion on two threads, one call per key"}), "1.60 of 1.92 times"));
  EXPECT_TRUE(Contains(LineWith(good, {"| insertion on two threads, one call per key"}), "| ok "));
  EXPECT_TRUE(Contains(LineWith(bad, {"| insertion on two threads, one call per key"}), "**MISSED**"));
  EXPECT_TRUE(Contains(LineWith(good, {"| insertion on two threads, in batches"}), "not measured"));
  EXPECT_TRUE(Contains(LineWith(good, {"| `single_during_inserts`", "| ok "}), "1.20x: 6.00 to 5.00 ns"));
  EXPECT_TRUE(Contains(LineWith(bad, {"| `single_during_inserts`"}), "**MISSED**"));
  EXPECT_TRUE(Contains(good, "2.50 times"));  // of one thread that fills the sequential filter: 25 to 10 ns
  ExpectSoundTables(good);
  EXPECT_FALSE(Contains(FullPage().text, "### Threads that insert")) << "no row of it there";
  // They are not `blocked`, and no peer of it.
  EXPECT_FALSE(Contains(Section(PageOf([](json* file) {
                                  AddLike(file, "single/hash/50/blocked/AVX3/16MB/10",
                                          {{"layout", "blocked_concurrent"}, {"origin", "linefilter, threads"}}, 0.1);
                                }),
                                "### Time against size"),
                        "blocked_concurrent"));
}

// Without an accuracy file the intervals are made of the numbers of queries.
TEST(Report, JudgesRatesOfTheTimedFilters) {
  const auto promise = [](double factor, double queries) {
    return LineWith(PageOf([&](json* file) {
                      for (json& row : (*file)["rows"]) {
                        if (row["fpr_queries"] == 0) continue;
                        const double theirs = 0.0234 * row["num_probes"].get<double>() / 5;
                        row["fpr"] = theirs * (row["layout"] == "blocked" ? factor : 1), row["fpr_queries"] = queries;
                      }
                    }),
                    {"- FPR", "measured"});
  };
  EXPECT_TRUE(Contains(promise(1.015, 1e9), "**holds**"));
  EXPECT_TRUE(Contains(promise(1.015, 1e6), "**holds within the measurement's error**"));
  EXPECT_TRUE(Contains(promise(1.022, 1e6), "**undecided, the intervals allow both**"));
  EXPECT_TRUE(Contains(promise(1.022, 1e9), "**MISSED**"));
}

// The rate of `blocked` is what the accuracy file says: a miss is said, and one that the intervals leave open.
TEST(Report, JudgesRatesByTheirIntervals) {
  // `blocked` has this factor and half width at 12 bits per key, an exact rate far below the rival's elsewhere.
  const auto promise = [](double factor, double half_width, double other_factor = 0.5) {
    json accuracy = json::parse(ReadFile(kAccuracy));
    for (json& entry : accuracy["measured"]) {
      if (entry["layout"] != "blocked" && entry["layout"] != "k_independent") continue;
      const bool ours = entry["layout"] == "blocked", at_12 = entry["bits_per_key"] == 12;
      const double fpr = 0.00413 * (!ours ? 1 : at_12 ? factor : other_factor), half = ours && at_12 ? half_width : 0;
      entry["fpr"] = fpr, entry["fpr_low"] = fpr * (1 - half), entry["fpr_high"] = fpr * (1 + half);
    }
    const TempDir dir;
    const Page page({kCpuA, dir.Write("accuracy.json", accuracy.dump()), "--no-plots"});
    return LineWith(Section(page.text, "### Pattern against pattern"), {"- FPR", "measured"});
  };
  EXPECT_TRUE(Contains(promise(1.3, 0.01), "**MISSED**"));
  EXPECT_TRUE(Contains(promise(1.04, 0.1), "**undecided, the intervals allow both**"));
  EXPECT_TRUE(Contains(promise(1.01, 0.1), "**holds within the measurement's error**"));
  EXPECT_TRUE(Contains(promise(1.01, 0.005), "**holds**"));
  EXPECT_TRUE(Contains(promise(1.04, 0.1, 1.03), "**MISSED**, 1.030x")) << "a sure miss before a greater unsure one";
}

json EngineRow(const char* engine, const char* filter, double bits, int value_bytes, int block_bytes, int filter_bytes,
               int false_positives, double ns) {
  json row = {{"engine", engine},
              {"origin", std::string(engine) + " 0.0"},
              {"filter", filter},
              {"asked_bits_per_key", bits},
              {"num_keys", 1000},
              {"value_bytes", value_bytes},
              {"block_bytes", block_bytes},
              {"keys_per_filter", value_bytes > 50 ? 50.0 : 100.0},
              {"filter_bytes", filter_bytes},
              {"bits_per_key", 8.0 * filter_bytes / 1000},
              {"expected_fpr", 0.01},
              {"model_fpr", 0.01},
              {"gets", 10000},
              {"false_positives", false_positives},
              {"fpr", false_positives / 10000.0},
              {"ns", ns},
              {"ns_each", {ns, ns, ns}}};
  if (row["engine"] == "rocksdb") row["multi_get_ns"] = ns / 2, row["multi_get_ns_each"] = {ns / 2};
  return row;
}

std::string EnginePage(const std::function<void(json*)>& change) {
  json rows = {EngineRow("leveldb", "leveldb_bloom", 10, 62, 4096, 1000, 100, 2000),
               EngineRow("leveldb", "leveldb_bloom", 11, 62, 4096, 1100, 80, 2000),
               EngineRow("leveldb", "leveldb_bloom", 12, 62, 4096, 1200, 60, 2000),
               EngineRow("leveldb", "auto", 10, 62, 4096, 1080, 90, 1990),
               EngineRow("leveldb", "retrieval", 10, 62, 4096, 1105, 18, 1990),
               EngineRow("leveldb", "leveldb_bloom", 10, 22, 4096, 1000, 100, 2000),
               EngineRow("leveldb", "blocked", 10, 22, 4096, 1000, 119, 1990),
               EngineRow("leveldb", "blocked", 10, 100, 65536, 1000, 108, 1990),
               EngineRow("leveldb", "blocked", 10, 100, 1048576, 1000, 93, 1990),
               EngineRow("rocksdb", "rocksdb_bloom", 10, 100, 4096, 1000, 100, 700),
               EngineRow("rocksdb", "rocksdb_ribbon", 10, 100, 4096, 700, 100, 800),
               EngineRow("rocksdb", "blocked", 10, 100, 4096, 1000, 100, 690),
               EngineRow("rocksdb", "retrieval", 10, 100, 4096, 1000, 17, 695),
               EngineRow("leveldb", "leveldb_bloom", 10, 100, 65536, 1000, 100, 500),
               EngineRow("leveldb", "leveldb_bloom", 10, 100, 1048576, 1000, 100, 400),
               EngineRow("leveldb", "retrieval", 10, 100, 65536, 1000, 101, 550),
               EngineRow("leveldb", "retrieval", 10, 100, 1048576, 1000, 99, 1000),
               EngineRow("leveldb", "retrieval", 10, 22, 4096, 1000, 17, 1990),
               EngineRow("leveldb", "auto_trusted", 10, 22, 4096, 1000, 119, 1995),
               EngineRow("leveldb", "leveldb_bloom_again", 10, 22, 4096, 1000, 100, 1980),
               EngineRow("rocksdb", "rocksdb_bloom_again", 10, 100, 4096, 1000, 100, 707)};
  json file = {{"schema", "linefilter-engines-1"},
               {"context", json::parse(ReadFile(kCpuA))["context"]},
               {"rows", std::move(rows)}};
  change(&file);
  const TempDir dir;
  return Section(PageOf([](json*) {}, {dir.Write("engines.json", file.dump())}), "## Inside storage engines");
}

// What was asked of filters inside LevelDB and RocksDB.
TEST(Report, JudgesEngines) {
  const auto page = EnginePage;
  const std::string good = page([](json*) {});
  ExpectSoundTables(good);
  EXPECT_FALSE(Contains(good, "MISSED"));
  EXPECT_FALSE(Contains(good, "not measured"));
  EXPECT_TRUE(
      Contains(LineWith(good, {"| LevelDB, `retrieval`"}), "0.22x: 0.180 to 0.800 %, in 1.00x the bytes: 1105 to 1100"))
      << "against the filter of as many bytes, but for a hundredth";
  EXPECT_TRUE(Contains(LineWith(good, {"| LevelDB, `auto`, up to 60", "equal"}), "in 1.08x the bytes: 1080 to 1000"));
  EXPECT_EQ(Cells(LineWith(good, {"| LevelDB, `auto`, up to 60", "same filter bytes", "nothing is", "1.12x"}))[3], "")
      << "worse than the filter of the same bytes, which nobody forbids";
  EXPECT_TRUE(Contains(LineWith(good, {"| LevelDB, `blocked`, above", "equal"}), "1.19x"));
  EXPECT_TRUE(Contains(LineWith(good, {"| LevelDB, time per absent Get in blocks", "nothing is asked"}),
                       "`retrieval` in blocks of 1048576: 2.50x, 1000 to 400 ns"));
  EXPECT_TRUE(Contains(LineWith(good, {"| LevelDB, blocks of 64 KiB"}), "1.080x"));
  EXPECT_TRUE(Contains(LineWith(good, {"| RocksDB, `blocked`, absent MultiGet"}), "345 to 350 ns"));
  const auto missed = [&](const char* what, size_t row, const char* field, json value) {
    const std::string bad = page([&](json* file) { (*file)["rows"][row][field] = value; });
    EXPECT_TRUE(Contains(LineWith(bad, {what}), "**MISSED**")) << what;
  };
  missed("| LevelDB, `auto`, up to 60", 3, "fpr", 0.0101);
  missed("| LevelDB, blocks of 4 KiB, time per absent Get, `auto` and", 6, "ns_each", {2021, 2021, 2021});
  missed("| LevelDB, blocks of 4 KiB, time per absent Get, `auto`, verified by", 18, "ns_each", {2021, 2021, 2021});
  EXPECT_TRUE(Contains(LineWith(good, {"time per absent Get, `auto` and"}), "1.010x is chance"))
      << "what the same filters differ by in two databases";
  missed("| LevelDB, `retrieval`", 4, "filter_bytes", 1120);  // of 12 bits per key, then: 18 to 60
  missed("| LevelDB, `blocked`, above", 6, "fpr", 0.0121);
  missed("| LevelDB, blocks of 64 KiB", 8, "fpr", 0.0089);
  missed("| LevelDB, blocks of 64 KiB", 16, "fpr", 0.0111);
  missed("| LevelDB, blocks of 64 KiB", 8, "model_fpr", 0.0084);  // images of another density than was asked for
  missed("| RocksDB, `blocked`, absent Get", 11, "ns_each", {708, 708, 708});
  missed("| RocksDB, `retrieval`, absent MultiGet", 12, "multi_get_ns_each", {401});
  missed("| RocksDB, `retrieval`, same filter bytes", 12, "fpr", 0.0026);
  for (const size_t row : {8u, 15u}) {
    const std::string few = page([row](json* file) { (*file)["rows"].erase(row); });
    EXPECT_TRUE(Contains(LineWith(few, {"| LevelDB, blocks of 64 KiB"}), "not measured")) << "a part is not the whole";
  }
  const std::string alone = page([](json* file) { (*file)["rows"][4]["filter_bytes"] = 3000; });
  EXPECT_TRUE(Contains(LineWith(alone, {"| LevelDB, `retrieval`"}), "not measured")) << "no filter of as many bytes";
  const std::string perfect = page([](json* file) { (*file)["rows"][5]["false_positives"] = 0; });
  EXPECT_TRUE(Contains(LineWith(perfect, {"| LevelDB, `blocked`, above", "equal"}), "not measured")) << "too few Gets";
  EXPECT_TRUE(Contains(FullPage().text, "Not measured yet: `build/release/linefilter_bench_engines"));
  for (const auto& [field, value] : std::vector<std::pair<const char*, json>>{
           {"ns", 0}, {"gets", 0}, {"false_positives", 10001}, {"filter", ""}, {"speed", 1}}) {
    json file = {{"schema", "linefilter-engines-1"}, {"context", json::parse(ReadFile(kCpuA))["context"]}};
    file["rows"] = {EngineRow("leveldb", "auto", 10, 62, 4096, 1000, 90, 2000)};
    file["rows"][0][field] = value;
    const TempDir dir;
    ExpectRefused(dir.Write("engines.json", file.dump()), {"engines.json", "row number 1", field});
  }
}

#ifdef LINEFILTER_BENCH_ENGINES
// The file as the program writes it: a field that only one of the two knows would show when it is too late.
TEST(Report, ReadsWhatTheProgramOfEnginesWrites) {
  if (!IsNightly()) GTEST_SKIP() << "half a minute";
  const TempDir dir(MemoryFolder());  // where files are does not matter here
  const std::string engines = dir.File("engines.json");
  const RunResult result = RunProgram({LINEFILTER_BENCH_ENGINES, "--quick", "--folder", dir.path(), "--out", engines});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = PageOf([](json*) {}, {engines});
  ExpectSoundTables(Section(page, "## Inside storage engines"));
}
#endif

#ifdef LINEFILTER_BENCH_TABLES
TEST(Report, ReadsWhatTheProgramOfTablesWrites) {
  const TempDir dir(MemoryFolder());
  const std::string tables = dir.File("tables.json");
  const RunResult result = RunProgram({LINEFILTER_BENCH_TABLES, "--quick", "--folder", dir.path(), "--out", tables});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(dir.Names(), std::vector<std::string>{"tables.json"}) << "what it made is removed";
  const std::string page = Section(PageOf([](json*) {}, {tables}), "## Inside a table of your own");
  ExpectSoundTables(page);
  EXPECT_FALSE(Contains(page, "MISSED"));
  for (const json& row : json::parse(ReadFile(tables))["rows"]) {
    EXPECT_EQ(row["present_blocks"], row["gets"]);
    if (row["filter"] != "none") {
      EXPECT_LT(row["absent_blocks"].get<double>(), 0.02 * row["gets"].get<double>());
    }
    if (!row.contains("damages")) continue;
    EXPECT_EQ(row["lost_keys"], 0);
    if (row["num_tables"] == 1) {
      EXPECT_GT(row["denied_keys"], 0) << "damage that matters";
    }
  }
}
#endif

#ifdef LINEFILTER_BENCH_COLUMNS
TEST(Report, ReadsWhatTheProgramOfColumnsWrites) {
  const TempDir dir(MemoryFolder());
  const std::string columns = dir.File("columns.json"), joins = dir.File("joins.json");
  RunResult result = RunProgram({LINEFILTER_BENCH_COLUMNS, "--quick", "--rounds", "1", "--out", columns});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  result = RunProgram({LINEFILTER_BENCH_COLUMNS, "--quick", "--joins", "--out", joins});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = Section(PageOf([](json*) {}, {columns, joins}), "## Columns");
  ExpectSoundTables(page);
  EXPECT_FALSE(Contains(page, "Not measured yet"));
  for (const json& row : json::parse(ReadFile(joins))["rows"]) {
    const double share = row["found_rows"].get<double>() / row["probe_rows"].get<double>();
    EXPECT_NEAR(100 * share, row["percent"].get<double>(), 1);
  }
}
#endif

}  // namespace
}  // namespace linefilter::test
