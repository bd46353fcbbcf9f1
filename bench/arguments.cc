#include "bench/arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

namespace linefilter::bench {

Arguments::Arguments(const char* program, const char* summary)
    : program_(program), app_(std::make_unique<CLI::App>(summary, program)) {}

Arguments::~Arguments() = default;

void Arguments::Add(const char* name, std::string* value, const char* help) { app_->add_option(name, *value, help); }

void Arguments::AddRequired(const char* name, std::string* value, const char* help) {
  app_->add_option(name, *value, help)->required();
}

void Arguments::AddFlag(const char* name, bool* value, const char* help) { app_->add_flag(name, *value, help); }

template <class Number>
void Arguments::AddNumber(const char* name, Number* value, const char* help, double least, double most) {
  app_->add_option(name, *value, help)->delimiter(',')->check(CLI::Range(least, most));
}

template void Arguments::AddNumber(const char*, int*, const char*, double, double);
template void Arguments::AddNumber(const char*, uint64_t*, const char*, double, double);
template void Arguments::AddNumber(const char*, double*, const char*, double, double);
template void Arguments::AddNumber(const char*, std::vector<uint64_t>*, const char*, double, double);

int Arguments::Run(int argc, char** argv, const std::function<int()>& work) try {
  CLI11_PARSE(*app_, argc, argv);
  return work();
} catch (const std::exception& error) {
  fprintf(stderr, "%s: %s\n", program_.c_str(), error.what());
  return 2;
}

}  // namespace linefilter::bench
