// A star schema, generated: orders refer to customers by their ids, and a predicate has left some of the customers.
//
// The customers that are left are the build side, the orders are the probe side. Each order refers to a customer by
// chance. So the selectivity, the share of the orders that find a partner, is the share of the customers that are left.
#ifndef LINEFILTER_EXAMPLES_JOIN_STAR_H_
#define LINEFILTER_EXAMPLES_JOIN_STAR_H_

#include <cstdint>
#include <vector>

namespace join {

struct Customers {  // the build side, an element for each row
  std::vector<int64_t> ids;
  std::vector<uint32_t> discounts;
};

struct Orders {  // the probe side
  std::vector<int64_t> customer_ids;
  std::vector<uint32_t> amounts;
};

Customers MakeCustomers(uint64_t num_left);
// `selectivity` is above 0 and at most 1. The vectors of `orders` are used again.
void MakeOrders(uint64_t num_orders, uint64_t num_left, double selectivity, Orders* orders);

}  // namespace join

#endif  // LINEFILTER_EXAMPLES_JOIN_STAR_H_
