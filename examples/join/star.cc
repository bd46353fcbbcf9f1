#include "examples/join/star.h"

#include <algorithm>

#include "linefilter/hash.h"

namespace join {
namespace {

// The id of customer number i. Different numbers have different ids, which look random. The id 0 is that of no number
// that occurs here.
int64_t IdOf(uint64_t i) { return static_cast<int64_t>(linefilter::MixHash(i)); }

}  // namespace

Customers MakeCustomers(uint64_t num_left) {
  Customers customers;
  customers.ids.resize(num_left);
  customers.discounts.resize(num_left);
  for (uint64_t i = 0; i < num_left; ++i) {
    customers.ids[i] = IdOf(i);
    customers.discounts[i] = static_cast<uint32_t>(i % 100);
  }
  return customers;
}

void MakeOrders(uint64_t num_orders, uint64_t num_left, double selectivity, Orders* orders) {
  const auto num_customers = std::max(num_left, static_cast<uint64_t>(static_cast<double>(num_left) / selectivity));
  orders->customer_ids.resize(num_orders);
  orders->amounts.resize(num_orders);
  for (uint64_t i = 0; i < num_orders; ++i) {
    const uint64_t random = linefilter::MixHash(~i);
    orders->customer_ids[i] = IdOf(linefilter::BlockIndex(random, num_customers));  // below num_customers
    orders->amounts[i] = static_cast<uint32_t>(random % 1000);
  }
}

}  // namespace join
