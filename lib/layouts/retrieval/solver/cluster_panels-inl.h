// The second level of the retrieval solver by panels (panels-inl.h): the clusters of clusters-inl.h. A cluster's rows
// are the octets of its units, side by side. What is left of its half rows takes the place of its units' octets, but
// for the first unit, which no half row has.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTER_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTER_PANELS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTER_PANELS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTER_PANELS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/key_octets-inl.h"
#include "lib/layouts/retrieval/solver/panels-inl.h"

#if LINEFILTER_GFNI

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// Where a cluster's bytes of columns are among those of all units, and which of them half rows have, and the rest.
struct ClusterBytes {
  size_t size;
  uint8_t from[kMostColumnBytes];
  uint64_t in_half[kMostColumnBytes];  // 0 or all ones
  uint64_t in_rest[kMostColumnBytes];
};

template <int kUnits, int kClusters>
HWY_INLINE ClusterBytes LayCluster(const ColumnBytes<kUnits>& bytes, int cluster) {
  ClusterBytes of_cluster;
  of_cluster.size = 0;
  for (int i = 0; i < kUnits; ++i) {
    const int unit = Units<kUnits>::InOrder(i);
    if (unit % kClusters != cluster) continue;
    for (uint32_t c = bytes.first[i]; c < bytes.first[i] + bytes.size[i]; ++c) {
      of_cluster.from[of_cluster.size] = static_cast<uint8_t>(c);
      of_cluster.in_half[of_cluster.size] = (unit & kClusters) != 0 ? ~uint64_t{0} : 0;
      of_cluster.in_rest[of_cluster.size++] = unit >= kClusters ? ~uint64_t{0} : 0;
    }
  }
  return of_cluster;
}

// Solves a cluster of all blocks; returns which lanes contradict. False if there is no room.
template <int kClusters>
HWY_INLINE bool ReduceCluster(const Group& group, const ClusterBytes& bytes, size_t sum, int cluster,
                              PanelSystem* system, uint64_t* fails) {
  alignas(64) uint64_t octets[kOctetsAtOnce][kOctetWords];
  const size_t num_bytes = system->num_bytes;
  for (size_t q = 0; q < group.padded_keys; q += 8 * kOctetsAtOnce) {
    const size_t number = NumOctets(group, q);
    for (size_t i = 0; i < number; ++i) {
      const uint64_t* const of_keys = KeyOctet(group, q + 8 * i);
      for (size_t c = 0; c < bytes.size; ++c) lanes::Store(lanes::Load(of_keys + 8 * bytes.from[c]), octets[i] + 8 * c);
      FillZero(octets[i], bytes.size, num_bytes);
      // The clusters' parities are sums of what the first constraints demand, as those are of parities.
      const lanes::Vec demanded = lanes::And(lanes::Load(of_keys + 8 * sum), EachByte(Ones(kClusters)));
      const lanes::Vec sides = lanes::ShiftRightSame(SumIncluding(demanded), cluster);
      lanes::Store(lanes::And(sides, EachByte(1)), octets[i] + 8 * num_bytes);
    }
    ReduceOctets(0, *system, number, octets);
    for (size_t i = 0; i < number; ++i) {
      if (!system->HasRoom()) return false;
      const size_t before = system->num_panels;
      *fails |= AppendOctet(octets[i], q + 8 * i, Ones(8 * static_cast<uint32_t>(group.num_tasks)), system);
      ReduceOctets(before, *system, number - i - 1, octets + i + 1);
    }
  }
  return true;
}

// Reduces the half rows of a cluster. Their right sides become bits `cluster` of the entry behind what is demanded.
HWY_INLINE void ReduceClusterHalves(const Group& group, const ClusterBytes& bytes, size_t sum, int cluster,
                                    const PanelSystem& system) {
  alignas(64) uint64_t octets[kOctetsAtOnce][kOctetWords];
  const size_t num_bytes = system.num_bytes;
  for (size_t q = 0; q < group.padded_keys; q += 8 * kOctetsAtOnce) {
    const size_t number = NumOctets(group, q);
    for (size_t i = 0; i < number; ++i) {
      const uint64_t* const of_keys = KeyOctet(group, q + 8 * i);
      for (size_t c = 0; c < bytes.size; ++c) {
        const lanes::Vec columns = lanes::Load(of_keys + 8 * bytes.from[c]);
        lanes::Store(lanes::And(columns, lanes::Set(bytes.in_half[c])), octets[i] + 8 * c);
      }
      FillZero(octets[i], bytes.size, num_bytes + 1);
    }
    ReduceOctets(0, system, number, octets);
    for (size_t i = 0; i < number; ++i) {
      uint64_t* const of_keys = KeyOctet(group, q + 8 * i);
      for (size_t c = 0; c < bytes.size; ++c) {
        if (bytes.in_rest[c] != 0) lanes::Store(lanes::Load(octets[i] + 8 * c), of_keys + 8 * bytes.from[c]);
      }
      uint64_t* const sides = of_keys + 8 * (sum + 2);
      const lanes::Vec side = lanes::ShiftLeftSame(lanes::Load(octets[i] + 8 * num_bytes), cluster);
      lanes::Store(cluster == 0 ? side : lanes::Or(side, lanes::Load(sides)), sides);
    }
  }
}

// Solves all clusters and leaves octets of what is left of half rows, and what the constraints behind the clusters' own
// demand of them. The first system has been begun.
template <int kUnits, int kClusters>
HWY_NOINLINE bool SolveClusterPanels(const Group& group, const ColumnBytes<kUnits>& bytes, PanelSystem* systems,
                                     Found* found) {
  uint64_t fails = 0;
  for (int cluster = 0; cluster < kClusters; ++cluster) {
    PanelSystem& system = systems[cluster];
    const ClusterBytes of_cluster = LayCluster<kUnits, kClusters>(bytes, cluster);
    if (cluster != 0) system.BeginBehind(systems[cluster - 1]);
    system.num_bytes = of_cluster.size > kWindow ? of_cluster.size : kWindow;
    if (!ReduceCluster<kClusters>(group, of_cluster, bytes.sum, cluster, &system, &fails)) return false;
    ReduceClusterHalves(group, of_cluster, bytes.sum, cluster, system);
  }
  for (size_t block = 0; block < group.num_tasks; ++block) {
    if ((fails >> (8 * block) & 0xff) != 0) found->outcome[block] = Outcome::kTooFull;
  }
  for (size_t q = 0; q < group.padded_keys; q += 8) {
    uint64_t* const sides = KeyOctet(group, q) + 8 * bytes.sum;
    const lanes::Vec demanded =
        kClusters == 8 ? lanes::Load(sides + 8) : lanes::ShiftRight<kClusters % 8>(lanes::Load(sides));
    lanes::Store(lanes::Xor(lanes::And(demanded, EachByte(Ones(kClusters))), SumIncluding(lanes::Load(sides + 16))),
                 sides);
  }
  return true;
}

// Makes all columns of the clusters from those that the rest has made.
template <int kUnits, int kClusters>
HWY_NOINLINE void ExtendToClusters(const ColumnBytes<kUnits>& bytes, const PanelSystem* systems, uint64_t* x) {
  for (int cluster = 0; cluster < kClusters; ++cluster) {
    const ClusterBytes of_cluster = LayCluster<kUnits, kClusters>(bytes, cluster);
    alignas(64) uint64_t own[kOctetWords];
    FillZero(own, of_cluster.size, systems[cluster].num_bytes);
    for (size_t c = 0; c < of_cluster.size; ++c) lanes::Store(lanes::Load(x + 8 * of_cluster.from[c]), own + 8 * c);
    SolvePanels(systems[cluster], lanes::Set(kNever), own);
    for (size_t c = 0; c < of_cluster.size; ++c) lanes::Store(lanes::Load(own + 8 * c), x + 8 * of_cluster.from[c]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_GFNI

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTER_PANELS_INL_H_
