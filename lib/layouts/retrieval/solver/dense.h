// The plain solver of a block of the layout `retrieval` takes all 504 columns, one row after another, any number of
// keys. It is for blocks that are so full that nothing else pays (attacks, and below four bits per key).
#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_DENSE_H_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_DENSE_H_

#include <cstdint>

namespace linefilter::internal {

struct DenseWorkspace {
  uint64_t rows[512][8];   // by pivot: column 64 l + b is bit b of word l
  uint32_t equation[512];  // how many equations came before the row's
  uint8_t right_side[512];
};

// Writes the 64 bytes of a block. g has the keys' in-block hashes, in descending order of EighthOf.
void SolveDense(const uint32_t* g, uint64_t n, DenseWorkspace* work, uint8_t* block);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_DENSE_H_
