// node scan.mjs FOLDER ROW_GROUPS [NUM_GROUPS]: a scan of DuckDB with and without the row groups that we exclude.
//
// DuckDB writes events.parquet into FOLDER, with a Bloom filter in each row group. A query asks for the events of some
// ids, as IN has them and as a join with a table of ids has them. DuckDB asks its filters for `id = 7` alone: for these
// two it reads all row groups. ROW_GROUPS is the program of row_groups.cc: it asks the same filters for all ids at once,
// and DuckDB reads the row groups that it names. Each line has the wall clock, which counts all that was done for the
// answer, and the rows that the scan had to read. The sums must be equal, and the rows read fewer.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { Database } from './database.mjs';

const [folder, rowGroups, given] = process.argv.slice(2);
const numGroups = Number(given ?? 40), GROUP_ROWS = 122880, ROUNDS = 5, IDS = 16;
const file = path.join(folder, 'events.parquet');
const db = await Database.open();
await db.run('SET threads = 1');  // of all, so that the machine's other work counts the same
await db.run(`COPY (SELECT (hash(r // 2) >> 2)::BIGINT AS id, r % 1000 AS amount, hash(r)::VARCHAR AS text
  FROM range(${numGroups * GROUP_ROWS}) t(r))
  TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE ${GROUP_ROWS}, DICTIONARY_SIZE_LIMIT ${GROUP_ROWS})`);

// Half of the ids are of one row group, and half of none.
const first = Math.floor(numGroups / 2) * GROUP_ROWS / 2;
await db.run(`CREATE TABLE ids AS SELECT (hash(if(i % 2 = 0, ${first} + 100 * i, -1 - i)) >> 2)::BIGINT AS id
  FROM range(${IDS}) t(i)`);
const ids = (await db.rows('SELECT id FROM ids')).map(({ id }) => id);

// What the footer tells, and our answer: the row numbers of the row groups that stay, adjacent ones together.
async function rangesThatStay() {
  const places = await db.rows(`SELECT coalesce(bloom_filter_offset, 0) AS "offset", coalesce(bloom_filter_length, 0) AS "length",
    row_group_num_rows AS n FROM parquet_metadata('${file}') WHERE path_in_schema = 'id' ORDER BY row_group_id`);
  const lines = [...places.map(({ offset, length }) => `filter ${offset} ${length}`), ...ids.map((id) => `id ${id}`)];
  const stay = new Set(execFileSync(rowGroups, [file], { input: `${lines.join('\n')}\n` }).toString().split('\n'));
  const ranges = [];
  let begin = 0;
  for (const [group, { n }] of places.entries()) {
    const end = begin + Number(n);
    if (stay.has(String(group))) {
      if (ranges.at(-1)?.end === begin) ranges.at(-1).end = end;
      else ranges.push({ begin, end });
    }
    begin = end;
  }
  return ranges;
}

const QUERIES = {
  IN: (scan) => `SELECT count(*)::INT AS events, sum(amount)::INT AS amount, max(text) AS text FROM ${scan} WHERE id IN (${ids})`,
  join: (scan) => `SELECT count(*)::INT AS events, sum(amount)::INT AS amount, max(text) AS text FROM ${scan} JOIN ids USING (id)`,
};
const SCANS = {
  DuckDB: () => ({ scan: `read_parquet('${file}')`, rows: numGroups * GROUP_ROWS }),
  ours: async () => {
    const ranges = await rangesThatStay();
    const parts = ranges.map(({ begin, end }) => `SELECT * EXCLUDE (file_row_number)
      FROM read_parquet('${file}', file_row_number = true) WHERE file_row_number BETWEEN ${begin} AND ${end - 1}`);
    if (parts.length === 0) parts.push(`SELECT * FROM read_parquet('${file}') LIMIT 0`);
    return { scan: `(${parts.join(' UNION ALL ')})`, rows: ranges.reduce((sum, { begin, end }) => sum + end - begin, 0) };
  },
};

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
for (const [query, sqlOf] of Object.entries(QUERIES)) {
  const times = { DuckDB: [], ours: [] }, rows = {}, answers = {};
  for (let round = 0; round < ROUNDS; ++round) {
    for (const [name, scanOf] of Object.entries(SCANS)) {
      const start = performance.now(), chosen = await scanOf();
      [answers[name]] = await db.rows(sqlOf(chosen.scan));
      times[name].push(performance.now() - start);
      rows[name] = chosen.rows;
    }
  }
  const [theirs, ours] = [answers.DuckDB, answers.ours].map((answer) => JSON.stringify(answer));
  if (theirs !== ours) throw new Error(`${query}: DuckDB found ${theirs}, and ${ours} without the row groups that we exclude`);
  if (answers.ours.events !== IDS) throw new Error(`${query}: ${answers.ours.events} events, not ${IDS}`);
  if (rows.ours * 2 > rows.DuckDB) throw new Error(`${query}: ${rows.ours} of ${rows.DuckDB} rows were read all the same`);
  const [whole, part] = [median(times.DuckDB), median(times.ours)];
  console.log(`${query}: DuckDB alone ${whole.toFixed(1)} ms, ${rows.DuckDB} rows; without the row groups that we exclude `
    + `${part.toFixed(1)} ms, ${rows.ours} rows; ratio ${(part / whole).toFixed(2)}`);
}
