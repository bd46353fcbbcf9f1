// Columns are hashed, asked and added. For NULL all rows stay.
#include "lib/c/columns.h"
#include "lib/c/handles.h"
#include "lib/c/pointers.h"
#include "lib/filters/secret.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

// What was done with the filter of a view, whose status is that of the view if it is null.
linefilter_code Done(const linefilter_view* view, const Status& done, linefilter_status* status) {
  return ToC(view == nullptr ? NoHandle("view") : done, status);
}

template <class Row>
linefilter_code Select(const linefilter_view* view, const linefilter_column* columns, size_t num_columns,
                       const Row* rows, size_t n, Row* maybes, size_t* num_maybes, linefilter_status* status) {
  const ColumnsFromC from(columns, num_columns);
  return Done(view, SelectMaybes(AskedBy(view), from, rows, n, maybes, num_maybes), status);
}

}  // namespace

linefilter_code linefilter_hash_columns(const linefilter_column* columns, size_t num_columns,
                                        linefilter_hash_id hash_id, uint64_t seed, const uint8_t* secret,
                                        uint64_t* hashes, linefilter_status* status) {
  if (hash_id < LINEFILTER_HASH_CALLER || hash_id > LINEFILTER_HASH_PARQUET) {
    return ToC(Refused("the hash id is none (linefilter_hash_id)"), status);
  }
  KeyHash key_hash = {static_cast<HashId>(hash_id), seed, HashSecret()};
  if (key_hash.is_keyed() != (secret != nullptr)) {
    return ToC(Refused("a secret goes with LINEFILTER_HASH_KEYED, and with no other hash id"), status);
  }
  if (secret != nullptr) key_hash.secret = GivenSecret(secret).OrZero();
  const ColumnsFromC from(columns, num_columns);
  return ToC(HashColumns(from, key_hash, hashes), status);
}

linefilter_code linefilter_view_can_ask(const linefilter_view* view, const linefilter_column* columns,
                                        size_t num_columns, linefilter_status* status) {
  const ColumnsFromC from(columns, num_columns);
  return Done(view, CanAsk(AskedBy(view), from), status);
}

linefilter_code linefilter_view_select_maybes(const linefilter_view* view, const linefilter_column* columns,
                                              size_t num_columns, const uint32_t* rows, size_t n, uint32_t* maybes,
                                              size_t* num_maybes, linefilter_status* status) {
  return Select(view, columns, num_columns, rows, n, maybes, num_maybes, status);
}

linefilter_code linefilter_view_select_maybes16(const linefilter_view* view, const linefilter_column* columns,
                                                size_t num_columns, const uint16_t* rows, size_t n, uint16_t* maybes,
                                                size_t* num_maybes, linefilter_status* status) {
  return Select(view, columns, num_columns, rows, n, maybes, num_maybes, status);
}

linefilter_code linefilter_view_select_maybes_to_bits(const linefilter_view* view, const linefilter_column* columns,
                                                      size_t num_columns, const uint8_t* rows, uint8_t* maybes,
                                                      size_t* num_maybes, linefilter_status* status) {
  const ColumnsFromC from(columns, num_columns);
  return Done(view, SelectMaybesToBits(AskedBy(view), from, rows, maybes, num_maybes), status);
}

linefilter_code linefilter_views_select_maybes(const linefilter_view* const* views, size_t num_views,
                                               const linefilter_column* columns, size_t num_columns,
                                               const uint32_t* rows, size_t n, uint32_t* maybes, size_t* num_maybes,
                                               linefilter_status* status) {
  const ColumnsFromC from(columns, num_columns);
  Pointers<const FilterBase*> filters(num_views);
  if (filters.get() == nullptr) {
    static_cast<void>(SelectMaybes(nullptr, 0, from, rows, n, maybes, num_maybes));  // all stay
    return ToC(OutOfMemory(filters.bytes()), status);
  }
  for (size_t i = 0; i < num_views; ++i) filters.get()[i] = &AskedBy(views[i]);
  return ToC(SelectMaybes(filters.get(), num_views, from, rows, n, maybes, num_maybes), status);
}

linefilter_code linefilter_views_may_contain_any(const linefilter_view* const* views, size_t num_views,
                                                 const linefilter_column* columns, size_t num_columns, uint8_t* answers,
                                                 linefilter_status* status) {
  const ColumnsFromC from(columns, num_columns);
  Status first;
  for (size_t i = 0; i < num_views; ++i) {
    const FilterBase* const filter = &AskedBy(views[i]);
    const Status asked = MayContainAny(&filter, 1, from, &answers[i]);
    if (first.ok()) first = views[i] == nullptr ? NoHandle("view") : asked;
  }
  return ToC(first, status);
}

linefilter_code linefilter_filter_add_column(linefilter_filter* filter, const linefilter_column* columns,
                                             size_t num_columns, linefilter_status* status) {
  if (filter == nullptr) return ToC(NoHandle("filter"), status);
  const ColumnsFromC from(columns, num_columns);
  return ToC(AddColumn(from, filter->keys), status);
}

linefilter_code linefilter_builder_add_column(linefilter_builder* builder, const linefilter_column* columns,
                                              size_t num_columns, linefilter_status* status) {
  if (builder == nullptr) return ToC(NoHandle("builder"), status);
  const ColumnsFromC from(columns, num_columns);
  return ToC(AddColumn(from, builder), status);
}

linefilter_code linefilter_unite_filters(linefilter_filter* const* filters, size_t num_filters,
                                         const linefilter_executor* executor, double max_fpr,
                                         linefilter_status* status) {
  Pointers<Filter*> plain(num_filters);
  if (plain.get() == nullptr) return ToC(OutOfMemory(plain.bytes()), status);
  for (size_t i = 0; i < num_filters; ++i) {
    plain.get()[i] = As<Filter>(filters[i]);
    if (plain.get()[i] == nullptr) return ToC(OtherKind(filters[i], "plain filters"), status);
  }
  const Executor lent = executor == nullptr ? Executor() : FromC(*executor);
  return ToC(UniteFilters(plain.get(), num_filters, lent, {max_fpr}), status);
}

uint64_t linefilter_view_key_forms(const linefilter_view* view) {
  return view == nullptr ? 0 : view->asked->key_forms();
}

void linefilter_filter_note_key_forms(linefilter_filter* filter, uint64_t forms) {
  if (filter != nullptr) filter->keys->NoteKeyForms(forms);
}

void linefilter_builder_note_key_forms(linefilter_builder* builder, uint64_t forms) {
  if (builder != nullptr) builder->NoteKeyForms(forms);
}
