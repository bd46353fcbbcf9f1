// What a shared library of ours exports: every public function and class, and nothing else. Read by C, too.
#ifndef LINEFILTER_EXPORT_H_
#define LINEFILTER_EXPORT_H_

// Stands in front of what is exported.
#if defined(__GNUC__)
#define LINEFILTER_EXPORT __attribute__((visibility("default")))
#else
#define LINEFILTER_EXPORT
#endif

#endif  // LINEFILTER_EXPORT_H_
