// linefilter redis load brings an image into Redis, as a new filter or united with the one that is there.
#include <memory>

#include "tools/program/images.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/images.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Load {
  ServerOptions server;
  std::string name, image;
  RedisLayout layout;
  SecretOption secret;
  bool json = false;
};

// The library's sentence does not know how an image that fits is made by hand, or a filter that takes no images.
std::string AdviceOf(const RedisFilter& filter, bool created, const Status& status) {
  const LayoutFacts facts = FactsOf(filter.layout());  // images are united there by their bits
  const bool takes_none = !created && filter.is_open() && !(facts.takes_keys && facts.has_positions);
  if (created || !filter.is_open() || status.code() != StatusCode::kIncompatible) return "";
  if (takes_none) return "`linefilter redis switch` replaces its keys by those of an image.";
  return "`linefilter redis dump NAME --out like`, then `linefilter build KEYS --like like --out IMAGE` makes one that "
         "fits.";
}

int RunLoad(const Load& load) {
  RedisServers servers;
  Image image;
  if (!ReadyServers(load.server, &servers)) return kExitBad;
  if (!OpenImage(load.image, load.secret.OrNull(), &image)) return kExitBad;
  RedisFilter filter;
  Status status = filter.Open(servers, load.name, load.secret.OrNull());
  const bool created = status.code() == StatusCode::kNotFound;
  if (created) {
    status = filter.CreateFromImage(servers, load.name, image.data(), image.view().image_bytes(), load.secret.OrNull(),
                                    load.layout);
  } else if (status.ok()) {
    status = filter.Load(image.data(), image.view().image_bytes());
  }
  RedisInfo info;
  if (status.ok()) status = filter.Info(&info);
  if (!status.ok()) return FailRedis("load", load.name, status, AdviceOf(filter, created, status));
  Report report;
  ReportFilter(filter, &report);
  report.Text("image", load.image);
  report.Bool("created", created);
  report.Count("shards", info.num_shards);
  ReportSize(info.capacity, info.approximate_size, info.OverCapacity(), &report);
  report.Rate("expected_fpr", info.expected_fpr);
  report.Print(load.json);
  if (created) WarnIfEmpty(image, filter, load.name, "`linefilter redis delete`, then `linefilter redis create`");
  if (info.OverCapacity()) WarnOfOverfull(ShownName(load.name), info.capacity, info.approximate_size);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto load = std::make_shared<Load>();
  DeclareFilterName(&arguments, &load->name);
  arguments.Path("IMAGE", &load->image, "The image whose keys go there", Need::kRequired);
  arguments.Count("--shard-bytes", &load->layout.shard_bytes,
                  "Of a new filter: most bytes of one string of Redis; by default 64 MiB");
  arguments.Secret(&load->secret, SecretUse::kAsk);
  DeclareServer(&arguments, ServerUse::kAdd, &load->server);
  arguments.Json(&load->json);
  return [load] { return RunLoad(*load); };
}

}  // namespace

const Command kRedisLoadCommand = {
    "load", "Make a filter in Redis of an image, or add an image's keys to one",
    "Where there is no filter NAME, it is made, of any layout. One that is there gets the image's keys besides its "
    "own\n"
    "(layout blocked or classic, of the same size, num_probes and hash); others may ask and add to it meanwhile.\n"
    "To replace the keys: `linefilter redis switch`.\n"
    "Exit code: 0 all is there, 2 it is not, and may be loaded again, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
