// DuckDB in memory, as write.mjs and probe.mjs use it.
import { DuckDBInstance } from '@duckdb/node-api';

export class Database {
  static async open() {
    const database = new Database();
    database.connection = await (await DuckDBInstance.create(':memory:')).connect();
    await database.run("SET TimeZone='UTC'");
    return database;
  }

  async run(sql) {
    await this.rows(sql);
  }

  // An error names the statement: most of them are made by other code.
  async rows(sql) {
    try {
      return (await this.connection.runAndReadAll(sql)).getRowObjects();
    } catch (error) {
      throw new Error(`${error.message}\nin: ${sql.slice(0, 2000)}`);
    }
  }
}
