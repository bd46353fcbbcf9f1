// The program's --secret, end to end: images of a keyed hash. All else is in tools_test.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "nlohmann/json.hpp"
#include "tests/testing/image_parts.h"
#include "tests/testing/run_program.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

class ToolsSecretTest : public ToolsTest {};

// 16 bytes that are no text, and their digits.
constexpr std::string_view kRawSecret("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
constexpr char kHexSecret[] = "00112233445566778899aabbccddeeff";

TEST_F(ToolsSecretTest, AKeyedImageIsFoldedAndMergedWithItsSecret) {
  const std::string keys = dir_.Write("keys", Lines(0, 1000)), image = dir_.File("image"), small = dir_.File("small"),
                    raw = dir_.Write("raw", kRawSecret), other = dir_.Write("other", std::string(16, '\x7f'));
  ASSERT_EQ(Run({"build", keys, "--out", image, "--bits-per-key", "20", "--foldable", "--secret", raw}).exit_code, 0);
  EXPECT_EQ(Json({"fold", image, "--by", "2", "--out", small, "--secret", raw}, 0)["hash"], "keyed");
  EXPECT_EQ(Run({"merge", image, small, "--out", small, "--any-rate", "--secret", raw}).exit_code, 0);
  EXPECT_EQ(Run({"verify", small, "--keys", keys, "--secret", raw}).exit_code, 0);
  const std::string bad = dir_.File("bad"), plain = Build("plain", "a\n", {"--bits-per-key", "20", "--foldable"});
  for (const std::vector<std::string>& arguments :
       Some<std::vector<std::string>>({{"fold", image, "--by", "2", "--out", bad},
                                       {"fold", image, "--by", "2", "--out", bad, "--secret", other},
                                       {"fold", plain, "--by", "2", "--out", bad, "--secret", raw},
                                       {"merge", image, plain, "--out", bad, "--secret", raw}})) {
    ExpectBadUsage(arguments);
  }
}

TEST_F(ToolsSecretTest, AKeyedImageIsAskedWithItsSecretAlone) {
  const std::string keys = dir_.Write("keys", "a\nb\nc\n"), image = dir_.File("image");
  const std::string raw = dir_.Write("raw", kRawSecret), hex = dir_.Write("hex", kHexSecret + std::string("\n")),
                    dos = dir_.Write("dos", "00112233445566778899AABBCCDDEEFF\r\n"),
                    other = dir_.Write("other", std::string(16, '\x7f'));
  ASSERT_EQ(Run({"build", keys, "--out", image, "--bits-per-key", "20", "--secret", raw}).exit_code, 0);
  for (const std::string& secret : {raw, hex, dos}) {
    EXPECT_EQ(Run({"query", image, "-", "--secret", secret}, "a\nzz\n").out, "maybe\ta\nabsent\tzz\n");
    EXPECT_EQ(Run({"verify", image, "--keys", keys, "--secret", secret}).exit_code, 0);
    EXPECT_EQ(Json({"info", image, "--secret", secret}, 0)["hash"], "keyed");
  }
  // The words of the program, not of the library that it is made with.
  const RunResult missing = Run({"query", image, keys});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.out, "");
  EXPECT_NE(missing.err.find("--secret PATH"), std::string::npos) << missing.err;
  const RunResult another = Run({"query", image, keys, "--secret", other});
  EXPECT_EQ(another.exit_code, 2);
  EXPECT_NE(another.err.find("another secret than that of --secret"), std::string::npos) << another.err;
  const std::string plain = Build("plain", "a\n");
  for (const std::vector<std::string>& command :
       Some<std::vector<std::string>>({{"query", plain, keys}, {"verify", plain}, {"info", plain}})) {
    std::vector<std::string> all = command;
    all.insert(all.end(), {"--secret", raw});
    ExpectBadUsage(all);
    EXPECT_NE(Run(all).err.find("leave out --secret"), std::string::npos) << Run(all).err;
  }
  const std::vector<std::string> seeded = {"build", keys,       "--out", dir_.File("bad"), "--fpr",
                                           "0.01",  "--secret", raw,     "--seed",         "1"};
  ExpectBadUsage(seeded);
  EXPECT_NE(Run(seeded).err.find("--seed or --secret"), std::string::npos) << Run(seeded).err;
}

// One number for all images of one secret, the same wherever it is told; and no seed, since there is none.
TEST_F(ToolsSecretTest, AKeyedImageHasTheCheckOfItsSecret) {
  const std::string raw = dir_.Write("raw", kRawSecret), keys = dir_.Write("keys", "a\n"), image = dir_.File("image");
  HashSecret secret;
  std::copy(kRawSecret.begin(), kRawSecret.end(), secret.bytes);
  char check[17];
  snprintf(check, sizeof(check), "%016llx", static_cast<unsigned long long>(CheckOfSecret(secret)));
  const std::vector<std::string> build = {"build", keys, "--out", image, "--fpr", "0.01", "--secret", raw};
  for (const std::vector<std::string>& command :
       Some<std::vector<std::string>>({build, {"info", image}, {"info", image, "--secret", raw}})) {
    const json report = Json(command, command.size() == 2 ? 2 : 0);
    EXPECT_EQ(report["secret_check"], check);
    EXPECT_FALSE(report.contains("seed"));
    const std::string text = Run(command).out;
    EXPECT_NE(text.find("secret_check "), std::string::npos) << "as text, too: " << text;
    EXPECT_NE(text.find(check), std::string::npos) << text;
  }
  EXPECT_FALSE(Json({"info", Build("plain", "a\n")}, 0).contains("secret_check"));
}

// No check of an image needs the secret; only its keys do.
TEST_F(ToolsSecretTest, AKeyedImageIsVerifiedWithoutItsSecret) {
  const std::string raw = dir_.Write("raw", kRawSecret), other = dir_.Write("other", std::string(16, '\x7f'));
  for (const int num_keys : {50, 100000}) {  // with the check of the trailer alone, and with chunk checks
    const std::string image = Build("image", Lines(0, num_keys), {"--bits-per-key", "10", "--secret", raw});
    const json verified = Json({"verify", image}, 0);
    EXPECT_EQ(verified["checksum"], "ok");
    EXPECT_EQ(verified["state"], "secret missing");
    EXPECT_EQ(verified["image_bytes"], std::filesystem::file_size(image));
    EXPECT_EQ(Json({"verify", image, "--keys", image + ".keys"}, 2)["checksum"], "ok") << "but keys cannot be asked";
    EXPECT_EQ(Json({"verify", image, "--secret", other}, 2)["state"], "another secret");
    const json info = Json({"info", image}, 2);
    EXPECT_EQ(info["checksum"], "ok");
    EXPECT_EQ(info["state"], "secret missing") << "it is not broken";
    EXPECT_EQ(info["hash"], "keyed") << "and what it tells is verified, no mere claim";
    EXPECT_EQ(Json({"info", image, "--secret", other}, 2)["state"], "another secret");
    const std::string good = ReadFile(image);
    for (const size_t at : {size_t{0}, good.size() / 2, good.size() - 26, good.size() - 12}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ 8);
      const std::string damaged = dir_.Write("damaged", bytes);
      EXPECT_EQ(Json({"verify", damaged}, 2)["checksum"], "damaged") << at;
      const json state = Json({"info", damaged}, 2)["state"];
      EXPECT_TRUE(state == "damaged" || state == "broken") << at << state;
      // The same bytes are named with the secret.
      EXPECT_EQ(Json({"verify", damaged}, 2)["reason"], Json({"verify", damaged, "--secret", raw}, 2)["reason"]);
    }
  }
}

// Whatever fields stand between the body and the trailer, and at every length of the last chunk.
TEST_F(ToolsSecretTest, EveryKeyedImageIsVerifiedWithoutItsSecret) {
  for (const size_t body_bytes : Some<size_t>({0, 4096, 4160, 65536, 65600, 655360})) {
    for (const unsigned fields : {0u, 1u, 2u, 3u}) {
      ImageParts parts;
      parts.hash_id = 2;
      parts.seed = 0x0123456789abcdef;
      parts.body.assign(body_bytes, 'b');
      if ((fields & 1) != 0 && body_bytes != 0) parts.num_keys = 77;
      if ((fields & 2) != 0) parts.extensions = Extension(9, "an extension");
      std::string bytes = Assemble(parts);
      EXPECT_EQ(Json({"verify", dir_.Write("image", bytes)}, 0)["checksum"], "ok") << body_bytes << " " << fields;
      EXPECT_EQ(Json({"info", dir_.File("image")}, 2)["secret_check"], "0123456789abcdef");
      if (body_bytes == 0) continue;
      bytes[body_bytes - 1] = 'c';
      EXPECT_EQ(Json({"verify", dir_.Write("image", bytes)}, 2)["checksum"], "damaged") << body_bytes << " " << fields;
    }
  }
}

TEST_F(ToolsSecretTest, ASecretIsAllThatItsFileHolds) {
  const std::string keys = dir_.Write("keys", "a\n"), hex = kHexSecret;
  const auto error_of = [&](const std::string& bytes) {
    const std::vector<std::string> build = {"build", keys,   "--out",    dir_.File("bad"),
                                            "--fpr", "0.01", "--secret", dir_.Write("secret", bytes)};
    ExpectBadUsage(build);
    return Run(build).err;
  };
  for (const std::string& bad : Some<std::string>(
           {"", "0123456789abcde", "0123456789abcdef0", std::string(kRawSecret) + "\n", hex.substr(1) + "x", hex + "ff",
            hex + "\n\n", hex + "\r", hex + "\n\r", hex + "\n\n\nand anything", hex + std::string(1000, '\n')})) {
    EXPECT_NE(error_of(bad).find("16 random bytes"), std::string::npos) << bad;
  }
  // What people type is no 128 bits.
  for (const std::string& typed :
       Some<std::string>({"0123456789abcdef", "fifteen letters\n", "correct horse ba", "fourteen chars\r\n"})) {
    ASSERT_EQ(typed.size(), 16u);
    EXPECT_NE(error_of(typed).find("16 characters"), std::string::npos) << typed;
    EXPECT_NE(error_of(typed).find("od -An -tx1"), std::string::npos) << "what to do with images that have it";
  }
  EXPECT_NE(error_of(std::string(32, '0')).find("zeros"), std::string::npos);
  EXPECT_NE(error_of(std::string(16, '\0')).find("zeros"), std::string::npos);
}

// Each failure has its own reason. Over a file that cannot be read today, a command that makes secrets would destroy
// one, and every image with it: it is told only where the file does not exist, and where an image is made.
TEST_F(ToolsSecretTest, ASecretThatCannotBeReadIsNotReplaced) {
  const std::string keys = dir_.Write("keys", "a\n"), image = Build("image", "a\n");
  const std::string locked = dir_.Write("locked", kRawSecret), empty = dir_.Write("empty", "");
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  const bool is_root = std::ifstream(locked).good();  // who reads everything
  const std::vector<std::vector<std::string>> commands =
      Some<std::vector<std::string>>({{"build", keys, "--out", dir_.File("bad"), "--fpr", "0.01"},
                                      {"query", image, keys},
                                      {"verify", image},
                                      {"info", image}});
  const std::vector<std::pair<std::string, std::string>> cases = {{dir_.File("missing"), "No such file or directory"},
                                                                  {keys + "/below", "Not a directory"},
                                                                  {dir_.path(), "is a folder"},
                                                                  {empty, "is empty"},
                                                                  {"/dev/null", "neither a file nor a pipe"},
                                                                  {is_root ? empty : locked, is_root ? "" : "denied"}};
  for (const std::vector<std::string>& command : commands) {
    for (const auto& [path, reason] : cases) {
      std::vector<std::string> all = command;
      all.insert(all.end(), {"--secret", path});
      ExpectBadUsage(all);
      const std::string error = Run(all).err;
      EXPECT_NE(error.find(reason), std::string::npos) << error;
      const bool may_be_made = command[0] == "build" && path == dir_.File("missing");
      EXPECT_EQ(error.find("(umask 077; head -c 16 /dev/urandom > FILE)") != std::string::npos, may_be_made) << error;
      EXPECT_EQ(error.find("urandom") != std::string::npos, may_be_made) << error;
    }
  }
}

// A password manager's secret comes through a pipe, and takes its time; one that nobody writes to is not waited for.
TEST_F(ToolsSecretTest, ASecretMayComeThroughAPipe) {
  const std::string raw = dir_.Write("raw", kRawSecret), fifo = dir_.File("fifo");
  const std::string image = Build("image", "a\n", {"--bits-per-key", "10", "--secret", raw});
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string verify =
      "timeout 60 " + ShellProgram() + "verify '" + image + "' --keys '" + image + ".keys' --secret ";
  for (const std::string& line :
       {"cat '" + raw + "' | " + verify + "/dev/stdin", verify + "/dev/stdin < '" + raw + "'",
        "(head -c 5 '" + raw + "'; sleep 0.5; tail -c 11 '" + raw + "') | " + verify + "/dev/stdin",
        "(sleep 3; cat '" + raw + "') | " + verify + "/dev/stdin",
        "(sleep 0.3; cat '" + raw + "' > '" + fifo + "') & " + verify + "'" + fifo + "'"}) {
    const RunResult result = RunProgram({"/bin/sh", "-c", line});
    EXPECT_EQ(result.exit_code, 0) << line << result.err;
  }
  for (const std::string& line : {verify + "'" + fifo + "'", ": | " + verify + "/dev/stdin"}) {
    const RunResult result = RunProgram({"/bin/sh", "-c", line});
    EXPECT_EQ(result.exit_code, 2) << line;
    EXPECT_NE(result.err.find("nobody wrote"), std::string::npos) << result.err;
  }
}

// A pipe has its bytes once: the secret's reader would take the keys, and `build` write the empty set.
TEST_F(ToolsSecretTest, TheSecretAndTheKeysDoNotComeFromOneFile) {
  const std::string raw = dir_.Write("raw", kRawSecret), keys = dir_.Write("keys", "a\n"), fifo = dir_.File("fifo");
  const std::string image = Build("image", "a\n", {"--bits-per-key", "10", "--secret", raw});
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string program = "timeout 60 " + ShellProgram(), both = "cat '" + raw + "' '" + keys + "' | ",
                    build = program + "build --fpr 0.01 --out '" + dir_.File("bad") + "' ",
                    query = program + "query '" + image + "' ", verify = program + "verify '" + image + "' ";
  for (const std::string& line : Some<std::string>(
           {both + build + "- --secret /dev/stdin", both + build + "--secret /dev/stdin -",
            "cat '" + raw + "' | " + build + "- --secret /dev/stdin", build + "- --secret /dev/stdin < '" + raw + "'",
            both + build + "/dev/stdin --secret /dev/fd/0", build + "'" + fifo + "' --secret '" + fifo + "'",
            both + query + "- --secret /dev/stdin", both + verify + "--keys - --secret /dev/stdin"})) {
    const RunResult result = RunProgram({"/bin/sh", "-c", line});
    EXPECT_EQ(result.exit_code, 2) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_NE(result.err.find("where the keys come from, too: give"), std::string::npos) << line << result.err;
    EXPECT_FALSE(std::filesystem::exists(dir_.File("bad"))) << line;
  }
  // Two sources, one of them standard input.
  for (const std::string& line : {verify + "--keys - --secret '" + raw + "' < '" + keys + "'",
                                  verify + "--keys '" + keys + "' --secret /dev/stdin < '" + raw + "'",
                                  verify + "--secret /dev/stdin < '" + raw + "'"}) {
    const RunResult result = RunProgram({"/bin/sh", "-c", line});
    EXPECT_EQ(result.exit_code, 0) << line << result.err;
  }
}

#if defined(__linux__)
// Whether the writable memory of a process holds some bytes.
bool HoldsInMemory(pid_t process, std::string_view bytes) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::ifstream maps(folder + "/maps"), memory(folder + "/mem", std::ios::binary);
  EXPECT_TRUE(maps.good() && memory.good()) << folder;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    char access[5] = "";
    if (sscanf(line.c_str(), "%llx-%llx %4s", &begin, &end, access) != 3 || access[1] != 'w') continue;
    if (end - begin > (64u << 20)) continue;  // what a sanitizer or an emulator reserves
    std::string copy(static_cast<size_t>(end - begin), '\0');
    memory.clear();
    memory.seekg(static_cast<std::streamoff>(begin));
    memory.read(&copy[0], static_cast<std::streamsize>(copy.size()));
    copy.resize(static_cast<size_t>(memory.gcount()));
    if (copy.find(bytes) != std::string::npos) return true;
  }
  return false;
}

// Nothing keeps the text of a secret, as a stream's buffer would: while the keys are awaited, memory holds the secret
// that hashes them, and no copy of the digits.
TEST_F(ToolsSecretTest, TheTextOfASecretDoesNotStayInMemory) {
  if (IsEmulated()) GTEST_SKIP() << "the memory of an emulator is not the program's";
  const std::string hex = dir_.Write("hex", kHexSecret), fifo = dir_.File("keys");
  const std::string image = Build("image", "a\n", {"--bits-per-key", "10", "--secret", hex});
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const pid_t process = fork();
  if (process == 0) {
    dup2(open("/dev/null", O_WRONLY), 1);
    execl(LINEFILTER_PROGRAM, "linefilter", "query", image.c_str(), fifo.c_str(), "--secret", hex.c_str(), nullptr);
    _exit(127);
  }
  int keys = -1;  // to be opened when the program reads from it: it has its secret then
  for (int i = 0; i < 6000 && keys < 0; ++i) {
    keys = open(fifo.c_str(), O_WRONLY | O_NONBLOCK);
    if (keys < 0) usleep(10000);
  }
  ASSERT_GE(keys, 0);
  EXPECT_TRUE(HoldsInMemory(process, kRawSecret)) << "this test sees nothing";
  EXPECT_FALSE(HoldsInMemory(process, std::string_view(kHexSecret).substr(16)));
  close(keys);
  int status = -1;
  EXPECT_EQ(waitpid(process, &status, 0), process);
}
#endif

// The secret of 0.1.0 is 16 bytes, told in digits or by their file.
TEST_F(ToolsSecretTest, TheKeyedImagesOfTheFirstReleaseCanBeAsked) {
  const std::string folder = LINEFILTER_SOURCE_DIR "/tests/releases/0.1.0/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no source tree on this machine";
  std::string keys;
  for (int i = 0; i < 5000; ++i) keys += std::to_string(i) + "\n";
  const std::string hex = dir_.Write("hex", "000102030405060708090a0b0c0d0e0f\n");
  for (const std::string layout : {"blocked", "classic", "retrieval"}) {
    const std::string image = folder + layout + "_keyed.filter";
    for (const std::string& secret : {hex, folder + "secret"}) {
      EXPECT_EQ(Json({"verify", image, "--keys", "-", "--secret", secret}, 0, keys)["keys_checked"], 5000) << secret;
    }
  }
}

}  // namespace
}  // namespace linefilter::test
