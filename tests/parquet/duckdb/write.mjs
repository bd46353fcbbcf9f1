// node write.mjs FOLDER some|all: lets DuckDB write a Parquet file for each column, and what linefilter is to find there.
//
//   plan.json             the columns: where the filters are, and which files follow
//   NAME.parquet          a column x: six row groups of 1 to 25,000 distinct values (some: a tenth), and nulls
//   NAME/FORM.tsv         row group and text of each value that is stored there, in a form that DuckDB takes for equal
//   NAME/asked.tsv        values to ask both for, stored or not, in the form of the column
//   NAME/asked.json       the same for DuckDB
import fs from 'node:fs';
import path from 'node:path';
import { BARE_COLUMNS, COLUMNS } from './columns.mjs';
import { Database } from './database.mjs';
import { formOf } from './forms.mjs';

const [folder, howMany] = process.argv.slice(2);
const AMOUNTS = {
  some: { distinct: [1, 4, 40, 400, 1500, 2500], rows: 12288, asked: 300 },
  all: { distinct: [1, 40, 400, 4000, 15000, 25000], rows: 122880, asked: 100000 },
};
const { distinct, rows, asked } = AMOUNTS[howMany];
// Half of what was stored before comes again, so that a value is in one row group, or in more.
const starts = distinct.map((_, group) => Math.floor(distinct.slice(0, group).reduce((sum, n) => sum + n, 0) / 2));
const end = starts.at(-1) + distinct.at(-1);
const RATES = [0.01, 0.1, 0.001];  // three densities, column by column

const db = await Database.open();

async function writeFile(column, number) {
  const file = path.join(folder, `${column.name}.parquet`);
  await db.run(`COPY (SELECT CASE WHEN r % 17 = 5 THEN NULL ELSE (${column.value})::${column.type} END AS x
    FROM (SELECT r, [${starts}][r // ${rows} + 1] + r % ${rows} % [${distinct}][r // ${rows} + 1] AS i
    FROM range(${rows * distinct.length}) t(r)))
    TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE ${rows}, DICTIONARY_SIZE_LIMIT ${rows},
    STRING_DICTIONARY_PAGE_SIZE_LIMIT 100000000, BLOOM_FILTER_FALSE_POSITIVE_RATIO ${RATES[number % RATES.length]})`);
  return file;
}

// The last entry of the schema is the leaf.
async function readType(file) {
  const schema = await db.rows(`SELECT type, type_length, converted_type, logical_type, precision, scale
    FROM parquet_schema('${file}')`);
  const leaf = schema.at(-1), text = leaf.logical_type ?? '';
  const number = (value) => Number(value ?? 0);
  return {
    physical: leaf.type, converted: leaf.converted_type ?? '', logical: text.replace(/Type\(.*/s, ''),
    type_length: number(leaf.type_length), precision: number(leaf.precision), scale: number(leaf.scale),
    is_utc: text.includes('isAdjustedToUTC=1'),
    unit: ['MILLIS', 'MICROS', 'NANOS'].findIndex((name) => RegExp(`${name}=\\w+\\(`).test(text)) + 1,
  };
}

async function readFilters(file) {
  const groups = await db.rows(`SELECT bloom_filter_offset AS "offset", bloom_filter_length AS "length", row_group_num_rows AS n
    FROM parquet_metadata('${file}') ORDER BY row_group_id`);
  if (groups.length !== distinct.length || groups.some((group) => Number(group.n) % rows !== 0)) {
    throw new Error(`${file} has row groups of ${groups.map((group) => group.n)} rows, not ${distinct.length} of ${rows}`);
  }
  return groups.filter((group) => group.offset !== null).map(({ offset, length }) => (
    { offset: Number(offset), length: Number(length) }));
}

// Returns the forms in which values are stored, the column's own one first.
async function writeForms(column, file) {
  await db.run(`CREATE OR REPLACE TABLE stored AS
    SELECT DISTINCT file_row_number // ${rows} AS row_group, (${column.leaf})::${column.leafType} AS x
    FROM read_parquet('${file}', file_row_number = true) WHERE x IS NOT NULL`);
  const own = formOf(column.leafType).name;
  const forms = [own, ...column.forms.filter((form) => form !== own)].map((name) => formOf(name));
  for (const form of forms) {
    form.file = `${column.name}/${form.name.replace(/\W+/g, '_')}.tsv`;
    await db.run(`COPY (SELECT row_group, ${form.show} FROM (SELECT row_group, x, ${form.value} AS y FROM stored)
      WHERE y IS NOT NULL AND try(${form.isEqual})) TO '${path.join(folder, form.file)}'
      (FORMAT csv, HEADER false, DELIMITER '\t', QUOTE '')`);
  }
  return forms.map(({ name, kind, scale, unit, is_utc, file }) => ({ name, kind, scale, unit, is_utc, file }));
}

// Some of the first values, which are special, and others up to twice as many as are stored.
async function writeAsked(column) {
  const step = Math.max(1, Math.floor(2 * end / asked));
  const { show } = formOf(column.leafType);
  const values = await db.rows(`SELECT told, ${column.literal} AS literal FROM
    (SELECT DISTINCT y, ${show} AS told FROM
    (SELECT (${column.value})::${column.type}::${column.leafType} AS y FROM
    (SELECT DISTINCT unnest([r * ${step}, least(r, 40)]) AS i FROM range(${Math.ceil(asked * column.draws)}) t(r))))
    WHERE ${column.canBeAsked} ORDER BY told`);
  fs.writeFileSync(path.join(folder, column.name, 'asked.tsv'), values.map(({ told }) => `${told}\n`).join(''));
  fs.writeFileSync(path.join(folder, column.name, 'asked.json'), JSON.stringify(values.map(({ literal }) => literal)));
}

const plan = [];
for (const [number, column] of COLUMNS.entries()) {
  fs.mkdirSync(path.join(folder, column.name));
  const file = await writeFile(column, number);
  const filters = await readFilters(file);
  if (filters.length !== distinct.length) {
    throw new Error(`${file}: ${filters.length} of ${distinct.length} row groups have a filter`);
  }
  if (column.isAsked) await writeAsked(column);
  const type = await readType(file), forms = await writeForms(column, file);
  plan.push({ name: column.name, is_asked: column.isAsked, type, filters, forms });
}
for (const column of BARE_COLUMNS) {
  const filters = await readFilters(await writeFile(column, 0));
  if (filters.length !== 0) throw new Error(`${column.type} has Bloom filters now: move it to the other columns in columns.mjs`);
}
fs.writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(plan, null, 1));
const [{ version }] = await db.rows('SELECT version() AS version');
console.log(`DuckDB ${version} wrote ${plan.length} columns with Bloom filters, and ${BARE_COLUMNS.length} without`);
