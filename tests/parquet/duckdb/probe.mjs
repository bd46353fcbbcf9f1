// node probe.mjs FOLDER: asks DuckDB's own Bloom filter probe for the values of each NAME/asked.json, in NAME.parquet as
// it wrote it and in NAME.ours.parquet, which has filters of linefilter.
//
// NAME/answers.tsv gets a line for each value: a word for each file, with m (maybe) or a (absent) for each row group.
import fs from 'node:fs';
import path from 'node:path';
import { Database } from './database.mjs';

const TOGETHER = 64;  // the probe takes one literal; so many calls in a statement take the least time

const folder = process.argv[2];
const db = await Database.open();
await db.run('SET parquet_metadata_cache = true');
await db.run('PRAGMA disable_optimizer');  // a third of the time

// A bit of `maybe` for each row group of both files: rows of their own would take twice the time.
async function answersOf([theirs, ours], groups, literals) {
  const calls = literals.map((literal, k) => `SELECT ${k} AS k, count(*) AS answers, sum(CASE WHEN bloom_filter_excludes THEN 0
    ELSE 1 << (row_group_id + CASE file_name WHEN '${theirs}' THEN 0 ELSE ${groups} END) END) AS maybe
    FROM parquet_bloom_probe(['${theirs}', '${ours}'], 'x', ${literal})`);
  const lines = literals.map(() => '');
  for (const { k, answers, maybe } of await db.rows(calls.join(' UNION ALL '))) {
    if (Number(answers) !== 2 * groups) throw new Error(`${answers} answers for ${literals[k]}, not one for each row group`);
    const letters = Array.from({ length: 2 * groups }, (_, i) => ((Number(maybe) >> i) & 1 ? 'm' : 'a')).join('');
    lines[k] = `${letters.slice(0, groups)}\t${letters.slice(groups)}\n`;
  }
  return lines.join('');
}

let asked = 0;
for (const column of JSON.parse(fs.readFileSync(path.join(folder, 'plan.json'), 'utf8'))) {
  if (!column.is_asked) continue;
  const files = ['parquet', 'ours.parquet'].map((end) => path.join(folder, `${column.name}.${end}`));
  const literals = JSON.parse(fs.readFileSync(path.join(folder, column.name, 'asked.json'), 'utf8'));
  const lines = [];
  for (let at = 0; at < literals.length; at += TOGETHER) {
    lines.push(await answersOf(files, column.filters.length, literals.slice(at, at + TOGETHER)));
  }
  fs.writeFileSync(path.join(folder, column.name, 'answers.tsv'), lines.join(''));
  asked += literals.length;
}
console.log(`DuckDB was asked for ${asked} values`);
