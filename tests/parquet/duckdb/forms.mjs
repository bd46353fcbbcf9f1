// The forms in which a value is told to linefilter, as a kind of ParquetValue and a text that values.cc reads.
//
// A form is named as DuckDB's type, or says what it does to one. `value` makes it of a stored x and is null where that
// cannot be; `isEqual` asks DuckDB whether it equals x still; `show` tells it in words of the C++ program.

const INTEGERS = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'].flatMap((type) => [type, `U${type}`]);
const DECIMALS = ['4, 1', '9, 0', '9, 2', '9, 9', '18, 4', '38, 10', '38, 23'].map((digits) => `DECIMAL(${digits})`);
const REALS = ['FLOAT', 'DOUBLE'];
export const NUMBERS = [...INTEGERS, ...DECIMALS, ...REALS];
// The number beside a converted one equals a real number, too, where DuckDB rounds before it compares.
export const NUMBERS_OF_REALS = [...NUMBERS, ...NUMBERS.map((type) => `NEXT ${type}`)];
export const TIMES = ['TIME', 'TIME_NS', 'TIMETZ'];
export const MOMENTS = ['DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'TIMESTAMPTZ'];

const cast = (type) => ({ value: `try_cast(x AS ${type})`, isEqual: 'x = y' });
const bounded = (type, highest, show) =>
  `CASE WHEN NOT isinf(y) THEN (${show})::VARCHAR WHEN y > '1970-01-01'::${type} THEN '${highest}' ELSE '-${highest}' END`;
const moment = (type, unit, is_utc, show) =>
  ({ ...cast(type), kind: 'timestamp', unit, is_utc, show: bounded(type, '9223372036854775807', show) });
const uuid = (text) => ({ kind: 'text', value: text, isEqual: 'y::UUID = x', show: 'hex(y)' });

const OTHERS = {
  FLOAT: { ...cast('FLOAT'), kind: 'float', show: 'y::VARCHAR' },
  DOUBLE: { ...cast('DOUBLE'), kind: 'double', show: 'y::VARCHAR' },
  VARCHAR: { kind: 'text', value: 'x', isEqual: 'x = y', show: 'hex(y)' },
  BYTES: { kind: 'bytes', value: 'x', isEqual: 'x = y', show: 'hex(y)' },
  BLOB: { kind: 'bytes', value: 'x', isEqual: 'x = y', show: 'hex(y)' },
  UUID: { kind: 'uuid', value: 'x', isEqual: 'x = y', show: "replace(y::VARCHAR, '-', '')" },
  'UUID TEXT': uuid('x::VARCHAR'),
  'UUID CAPITALS': uuid('upper(x::VARCHAR)'),
  'UUID DIGITS': uuid("replace(x::VARCHAR, '-', '')"),
  DATE: { ...cast('DATE'), kind: 'date', show: bounded('DATE', '2147483647', "y - DATE '1970-01-01'") },
  TIME: { ...cast('TIME'), kind: 'time', unit: 2, is_utc: false, show: 'epoch_us(y)::VARCHAR' },
  TIME_NS: { ...cast('TIME_NS'), kind: 'time', unit: 3, is_utc: false, show: 'epoch_ns(y)::VARCHAR' },
  TIMETZ: { ...cast('TIMETZ'), kind: 'time', unit: 2, is_utc: true, show: 'epoch_us(y)::VARCHAR' },
  TIMESTAMP: moment('TIMESTAMP', 2, false, 'epoch_us(y)'),
  TIMESTAMP_S: moment('TIMESTAMP_S', 2, false, 'epoch_us(y)'),
  TIMESTAMP_MS: moment('TIMESTAMP_MS', 1, false, 'epoch_ms(y)'),
  TIMESTAMP_NS: moment('TIMESTAMP_NS', 3, false, 'epoch_ns(y)'),
  TIMESTAMPTZ: moment('TIMESTAMPTZ', 2, true, 'epoch_us(y)'),
  INTERVAL: { kind: 'interval', value: 'x', isEqual: 'x = y', show: "((year(y) * 12 + month(y)) || ' ' || day(y) || ' 0')" },
};

// The least step of a decimal, as SQL. (A literal with an exponent would be a DOUBLE.)
export const lastDigit = (scale) => (scale === 0 ? '1' : `0.${'1'.padStart(scale, '0')}`);

function numberForm(type) {
  if (type.startsWith('NEXT ')) {
    const plain = formOf(type.slice(5)), { name, value } = plain;
    const next = REALS.includes(name) ? `nextafter(${value}, 'inf'::${name})` : `${value} + ${lastDigit(plain.scale)}`;
    return { ...plain, value: `try(try_cast(${next} AS ${name}))` };
  }
  const scale = /^DECIMAL\(\d+, (\d+)\)$/.exec(type)?.[1];
  if (scale !== undefined) return { ...cast(type), kind: 'decimal', scale: Number(scale), show: "replace(y::VARCHAR, '.', '')" };
  return { ...cast(type), kind: 'integer', show: 'y::VARCHAR' };
}

// formOf('BIGINT'): { name, kind, unit, is_utc, scale, value, isEqual, show }
export function formOf(name) {
  return { scale: 0, unit: 2, is_utc: false, ...(OTHERS[name] ?? numberForm(name)), name };
}
