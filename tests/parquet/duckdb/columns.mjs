// The columns that DuckDB writes: every type of which it makes a Bloom filter, and those of which it makes none.
//
// A value is an expression of `i`, which counts distinct values. The first ones are the limits of the type, and what is
// special there. The others are spread over its range, or small, so that other types can hold them. `literal` makes the
// constant for DuckDB's probe of a value y, or of how it is told to linefilter. Where the probe of 1.5.6 takes a constant
// for something else, that is the constant by which it asks for what is stored. `draws` is above 1 where values come
// twice, or cannot be asked for: so many times more of them are made.
import { NUMBERS, NUMBERS_OF_REALS, TIMES, MOMENTS, lastDigit } from './forms.mjs';

const spread32 = '((i * 2654435761 + 12345) % 4294967296)';
const spread64 = '((i::HUGEINT * 11400714819323198485 + 987654321) % 18446744073709551616::HUGEINT)';
const dayMicros = 86400000000;

// special([a, b], rest): a for 0, b for 1, and so on.
const special = (first, rest) => `CASE i ${first.map((value, k) => `WHEN ${k} THEN ${value}`).join(' ')} ELSE ${rest} END`;

function integer(bits, signed) {
  const lowest = signed ? -(2n ** BigInt(bits - 1)) : 0n;
  const highest = lowest + 2n ** BigInt(bits) - 1n;
  const many = bits === 64 ? spread64 : `(${spread32} % ${2n ** BigInt(bits)})`;
  const type = { 8: 'TINYINT', 16: 'SMALLINT', 32: 'INTEGER', 64: 'BIGINT' }[bits];
  const small = `(i % ${bits === 8 ? 100 : 30000})`;
  return {
    type: signed ? type : `U${type}`,
    value: special([lowest, highest, 0, signed ? -1 : 1],
      `CASE WHEN i % 3 = 0 THEN ${small}::HUGEINT ELSE ${many}::HUGEINT + (${lowest})::HUGEINT END`),
    forms: NUMBERS,
    draws: 1.5,
  };
}

// Zero comes with either sign, in row groups of their own: DuckDB stores the one that it meets first.
function real(type) {
  const first = ["'-0.0'", "'nan'", "'inf'", "'-inf'", '1e-45', '3.4e38', '0.1'];
  while (first.length < 25) first.push(`${first.length}.5`);
  first.push('0.0');
  const many = `CASE WHEN i % 2 = 0 THEN (i - 1000) / 8.0 ELSE ${spread64}::DOUBLE / 7 END::${type}`;
  return { type, value: special(first.map((value) => `${value}::${type}`), many), forms: NUMBERS_OF_REALS, draws: 1.5 };
}

function decimal(precision, scale) {
  const limit = 10n ** BigInt(precision) - 1n;
  const many = `(${spread64} % ${2n * limit + 1n}::HUGEINT - ${limit})`;
  const whole = 10n ** BigInt(precision - scale), least = 10n ** BigInt(scale);
  const small = limit < 100003n ? limit : 100003n;  // a prime, so that each third one meets all
  const unscaled = special([limit, -limit, 0, -1],
    `CASE i % 3 WHEN 0 THEN (i - 100) % ${small} WHEN 1 THEN (i % ${whole}) * ${least} ELSE ${many} END`);
  return {
    type: `DECIMAL(${precision}, ${scale})`,
    value: `(${unscaled})::DECIMAL(38, 0) * ${lastDigit(scale)}`,
    forms: NUMBERS,
    // The probe rounds a constant to an integer, and takes that for the unscaled one. (Queries do not.)
    literal: 'told', canBeAsked: `abs(told::HUGEINT) < ${whole}`, draws: 3,
  };
}

// Whole days, whole milliseconds, and the finest steps. A span of 200 years is held by every unit.
const micros = `CASE i % 3 WHEN 0 THEN (i % 70000 - 30000) * ${dayMicros} WHEN 1 THEN ${spread32} * 1000000 + i % 1000 * 1000
  ELSE ${spread32} * 1000000 + i % 1000000 END`;

const timestamp = (type, value) => ({
  type,
  value: special(['infinity', '-infinity', '1970-01-01', '1969-12-31 23:59:59'].map((text) => `'${text}'::${type}`), value),
  forms: MOMENTS,
});

const time = `(TIME '00:00:00' + to_microseconds((${spread64} % ${dayMicros})::BIGINT))`;
const nanos = `('12:34:56.' || lpad((${spread32} % 1000000000)::VARCHAR, 9, '0'))::TIME_NS`;
const timeEnds = (type) => ["'00:00:00'", "'23:59:59.999999'", "'12:00:00'"].map((text) => `${text}::${type}`);
const text = "repeat('x', (i % 70)::INTEGER) || i::VARCHAR";

const written = [
  ...[8, 16, 32, 64].flatMap((bits) => [integer(bits, true), integer(bits, false)]),
  real('FLOAT'),
  real('DOUBLE'),
  { type: 'HUGEINT', reads: 'DOUBLE', value: `(${spread64} - 9223372036854775808) * (i % 1000)`, forms: NUMBERS_OF_REALS },
  { type: 'UHUGEINT', reads: 'DOUBLE', value: `CASE WHEN i % 2 = 0 THEN i ELSE ${spread64} END`, forms: NUMBERS_OF_REALS },
  decimal(4, 1),
  decimal(9, 0),
  decimal(9, 2),
  { ...decimal(9, 9), isAsked: false },  // only 0 could be
  decimal(18, 4),
  { type: 'VARCHAR', value: special(["''", "'é'", "'''\"'", "'\\'"], text), forms: ['VARCHAR', 'BYTES'] },
  // The probe (and a query: it loses rows) asks for the printed form of a constant. Some values print as they are.
  { type: 'BLOB', value: special(["''::BLOB", "'\\x00'::BLOB"],
      "CASE WHEN i % 2 = 0 THEN encode('k' || i) ELSE unhex(md5(i::VARCHAR) || repeat('00', (i % 40)::INTEGER)) END"),
    forms: ['BLOB'], canBeAsked: 'hex(y) = hex(y::VARCHAR)', draws: 2 },
  { type: 'JSON', reads: 'VARCHAR', value: `'{"a": ' || i || '}'`, forms: ['VARCHAR', 'BYTES'] },
  { type: 'BIGNUM', reads: 'VARCHAR', value: `(${spread64} * i)`, forms: ['VARCHAR'] },
  { type: 'BIT', reads: 'VARCHAR', value: 'i::INTEGER', forms: ['VARCHAR'] },
  { type: 'UUID', value: special([`'${'0'.repeat(32)}'`, `'${'f'.repeat(32)}'`], 'md5(i::VARCHAR)'),
    forms: ['UUID', 'UUID TEXT', 'UUID CAPITALS', 'UUID DIGITS'] },
  { type: 'DATE', value: special(['infinity', '-infinity', '1970-01-01', '0001-01-01', '9999-12-31'].map((day) => `'${day}'::DATE`),
      "DATE '1900-01-01' + (i * 3)::INTEGER"), forms: MOMENTS },
  { type: 'TIME', value: special(timeEnds('TIME'), time), forms: TIMES },
  // DuckDB has no cast of a constant to these two columns, so its probe cannot be called.
  { type: 'TIME_NS', value: special(timeEnds('TIME_NS'), nanos), forms: TIMES, isAsked: false },
  { type: 'TIMETZ', value: special(timeEnds('TIMETZ'), `${time}::TIMETZ`), forms: TIMES, isAsked: false },
  timestamp('TIMESTAMP', `make_timestamp(${micros})`),
  // These two come without infinity, which DuckDB cannot convert to other units.
  { type: 'TIMESTAMP_S', reads: 'TIMESTAMP', value: `make_timestamp(${micros} // 1000000 * 1000000)::TIMESTAMP_S`,
    forms: MOMENTS },
  // The probe takes the microseconds of a constant for milliseconds.
  { type: 'TIMESTAMP_MS', value: `make_timestamp(${micros} // 1000 * 1000)::TIMESTAMP_MS`, forms: MOMENTS,
    literal: "'make_timestamp(' || told || ')'" },
  timestamp('TIMESTAMP_NS', `make_timestamp_ns((${micros}) * 1000 + i % 7)`),
  timestamp('TIMESTAMPTZ', `make_timestamp(${micros})::TIMESTAMPTZ`),
  { type: 'INTERVAL', value: 'to_days((i % 1000)::INTEGER) + to_months((i // 1000)::INTEGER)', forms: ['INTERVAL'] },
  // Leaves of nested columns. The probe is for whole columns.
  { type: 'INTEGER[]', name: 'list', leaf: 'unnest(x)', leafType: 'INTEGER', isAsked: false, value: '[i, i + 1]',
    forms: NUMBERS },
  { type: 'STRUCT(y VARCHAR)', name: 'struct', leaf: 'x.y', leafType: 'VARCHAR', isAsked: false, value: `{'y': ${text}}`,
    forms: ['VARCHAR', 'BYTES'] },
];

// These have no filter: they are not dictionary-encoded, or are so in another way.
const bare = [
  { type: 'BOOLEAN', value: 'i % 2 = 0' },
  { type: "ENUM('a', 'b')", value: "CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END" },
  { type: 'DECIMAL(38, 10)', value: 'i' },
];

const named = (column) => ({ name: column.type.toLowerCase().replace(/\W+/g, '_').replace(/_$/, ''), ...column });
export const COLUMNS = written.map((column) => {
  const reads = column.reads ?? column.type;
  const literal = `'''' || replace(y::VARCHAR, '''', '''''') || '''::${reads}'`;
  return { isAsked: true, leaf: 'x', leafType: reads, literal, canBeAsked: 'true', draws: 1.01, ...named(column), reads };
});
export const BARE_COLUMNS = bare.map(named);
