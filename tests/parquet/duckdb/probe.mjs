// node probe.mjs FOLDER some|all: asks DuckDB's own Bloom filter probe for the values of each NAME/asked.json, in
// NAME.parquet as it wrote it and in NAME.ours.parquet, which has filters of linefilter (all: there for every tenth value).
//
// NAME/answers.tsv gets a line for each value: a word for each file, with m (maybe) or a (absent) for each row group. The
// second word is empty where the file was not asked.
import fs from 'node:fs';
import path from 'node:path';
import { Database } from './database.mjs';

const TOGETHER = 64;  // the probe takes one literal; so many calls in a statement take the least time

const [folder, howMany] = process.argv.slice(2);
const EVERY = { some: 1, all: 10 }[howMany];
const db = await Database.open();
await db.run('SET parquet_metadata_cache = true');
await db.run('PRAGMA disable_optimizer');  // a third of the time

// A bit of `maybe` for each row group: rows of their own would take twice the time.
async function ask(file, groups, literals) {
  const calls = literals.map((literal, k) => `SELECT ${k} AS k, count(*) AS answers,
    sum(CASE WHEN bloom_filter_excludes THEN 0 ELSE 1 << row_group_id END) AS maybe
    FROM parquet_bloom_probe('${file}', 'x', ${literal})`);
  const words = literals.map(() => '');
  for (const { k, answers, maybe } of await db.rows(calls.join(' UNION ALL '))) {
    if (Number(answers) !== groups) throw new Error(`${answers} answers for ${literals[k]}, not one for each row group`);
    words[k] = Array.from({ length: groups }, (_, group) => ((Number(maybe) >> group) & 1 ? 'm' : 'a')).join('');
  }
  return words;
}

async function askAll(file, groups, literals) {
  const words = [];
  for (let at = 0; at < literals.length; at += TOGETHER) {
    words.push(...await ask(file, groups, literals.slice(at, at + TOGETHER)));
  }
  return words;
}

let asked = 0;
for (const column of JSON.parse(fs.readFileSync(path.join(folder, 'plan.json'), 'utf8'))) {
  if (!column.is_asked) continue;
  const file = path.join(folder, column.name), groups = column.filters.length;
  const literals = JSON.parse(fs.readFileSync(path.join(file, 'asked.json'), 'utf8'));
  const theirs = await askAll(`${file}.parquet`, groups, literals);
  const ours = await askAll(`${file}.ours.parquet`, groups, literals.filter((_, k) => k % EVERY === 0));
  const lines = theirs.map((word, k) => `${word}\t${k % EVERY === 0 ? ours[k / EVERY] : ''}\n`);
  fs.writeFileSync(path.join(file, 'answers.tsv'), lines.join(''));
  asked += literals.length;
}
console.log(`DuckDB was asked for ${asked} values`);
