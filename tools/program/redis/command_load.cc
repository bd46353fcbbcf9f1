// linefilter redis load brings an image into Redis, as a new filter or united with the one that is there.
#include <memory>

#include "tools/program/images.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/images.h"
#include "tools/program/redis/lifetime.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Load {
  ServerOptions server;
  std::string name, image;
  uint64_t expire_s = 0;
  RedisLayout layout;
  SecretOption secret;
  bool json = false;
};

// The library's sentence does not know how a filter that takes no images is made anew by hand.
std::string AdviceOf(const RedisFilter& filter, bool created, const Status& status) {
  const LayoutFacts facts = FactsOf(filter.layout());  // images are united there by their bits
  const bool takes_none = !created && filter.is_open() && !(facts.takes_keys && facts.bits_of_position == 1);
  if (!takes_none || status.code() != StatusCode::kIncompatible) return "";
  return "`linefilter redis switch` replaces its keys by those of an image.";
}

int RunLoad(const Load& load, const Arguments& arguments) {
  const bool expires = arguments.Given("--expire");
  if (expires && !CheckLifetime("load", "--expire", "leave it out", load.expire_s)) return kExitBad;
  RedisServers servers;
  RedisImage image;
  if (!ReadyServers(load.server, &servers)) return kExitBad;
  if (!OpenSource(load.image, load.secret.OrNull(), &image.file)) return kExitBad;
  RedisFilter filter;
  Status status = filter.Open(servers, load.name, load.secret.OrNull());
  const bool created = status.code() == StatusCode::kNotFound;
  if (created) {
    status = filter.CreateFromImage(servers, load.name, image.data(), image.size(), load.secret.OrNull(), load.layout);
    if (status.ok() && expires) {
      status = filter.Expire(1000 * load.expire_s);
      if (!status.ok()) {
        return Fail("redis load: filter %s is there, without its --expire, which `linefilter redis expire` sets (%s)",
                    ShownName(load.name).c_str(), SentenceOf(load.name, status).c_str());
      }
    }
  } else if (status.ok() && expires) {  // others may go by the time that it has
    return Fail(
        "redis load: filter %s is there already, and --expire is of a new one: leave it out, and see to "
        "`linefilter redis expire`; nothing was loaded",
        ShownName(load.name).c_str());
  } else if (status.ok()) {
    status = filter.Load(image.data(), image.size());
  }
  RedisInfo info;
  if (status.ok()) status = filter.Info(&info);
  if (!status.ok()) return FailRedis("load", load.name, status, AdviceOf(filter, created, status));
  Report report;
  ReportFilter(filter, &report);
  report.Text("image", load.image);
  report.Bool("created", created);
  report.Count("shards", info.num_shards);
  report.Number("estimated_keys", info.estimated_keys);
  report.Rate("expected_fpr", info.expected_fpr);
  report.Print(load.json);
  if (created) WarnIfEmpty(image, filter, load.name, "`linefilter redis delete`, then `linefilter redis create`");
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto load = std::make_shared<Load>();
  DeclareFilterName(&arguments, &load->name);
  arguments.Path("IMAGE", &load->image, "The image whose keys go there", Need::kRequired);
  arguments.Count("--shard-bytes", &load->layout.shard_bytes,
                  "Of a new filter: most bytes of one string of Redis; by default 64 MiB");
  arguments.Count("--expire", &load->expire_s, "Of a new filter: it goes after so many seconds; never by default");
  arguments.Secret(&load->secret, SecretUse::kAsk);
  DeclareServer(&arguments, ServerUse::kAdd, &load->server);
  arguments.Json(&load->json);
  return [load, &arguments] { return RunLoad(*load, arguments); };
}

}  // namespace

const Command kRedisLoadCommand = {
    "load", "Make a filter in Redis of an image, or add an image's keys to one",
    "Where there is no filter NAME, it is made, of any layout. One that is there gets the image's keys besides its "
    "own\n"
    "(layout blocked or classic, of the same size, num_probes and hash); others may ask and add to it meanwhile.\n"
    "To replace the keys: `linefilter redis switch`. Exit code: 0 all is there, 2 it is not, and may be loaded again.",
    &Declare};

}  // namespace linefilter::tools
