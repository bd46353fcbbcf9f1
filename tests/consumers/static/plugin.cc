// A plugin with one function of its own; the library inside is nobody else's business.
#include <string>

#include "linefilter/builder.h"
#include "linefilter/view.h"

extern "C" __attribute__((visibility("default"))) int PluginAnswers() {
  linefilter::FilterOptions options;
  options.bits_per_key = 10;
  linefilter::FilterBuilder builder(options);
  builder.AddKey("key");
  std::string image;
  if (!builder.Finish(&image).ok()) return -1;
  return linefilter::FilterView(image.data(), image.size(), linefilter::VerifyMode::kWhole).MayContainKey("key") ? 1
                                                                                                                 : 0;
}
