import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { type GraphQueries, givenIds } from './graph-tables.ts';
import { textHash } from './packed-text.ts';

/**
 * The shared texts of an organization in one transaction. Each has the number of rows that name it, and is deleted with
 * the last of them.
 */
export class SharedTexts {
  readonly #graph: GraphQueries;
  readonly #organization: number;
  readonly #ids = new Map<string, number>();
  readonly #added = new Set<number>();
  readonly #uses = new Map<number, number>();

  constructor(graph: GraphQueries, organization: number) {
    this.#graph = graph;
    this.#organization = organization;
  }

  /** Gives numbers to texts that have none. */
  async add(texts: Iterable<string>): Promise<void> {
    const { queries, dialect, tables } = this.#graph;
    const rows = [...new Set(texts)]
      .filter((text) => !this.#ids.has(text))
      .map((text) => ({ hash: textHash(text), text }));
    if (rows.length === 0) return;
    // Other texts with the same number do no harm.
    const hashes = [...new Set(rows.map(({ hash }) => hash))];
    const { rows: known } = await sql<{ id: number; text: string }>`
      select shared.id, shared.text from ${givenIds(dialect, hashes)} cross join ${tables.texts} as shared
      where shared.org = ${sql.lit(this.#organization)} and shared.hash = given.id`.execute(queries);
    for (const { id, text } of known) this.#ids.set(text, id);
    const missing = rows.filter(({ text }) => !this.#ids.has(text));
    if (missing.length === 0) return;
    const { rows: added } = await sql<{ id: number; text: string }>`
      insert into ${tables.texts} (org, hash, text, uses)
      select ${sql.lit(this.#organization)}, hash, text, 0
      from ${givenRows(dialect, { hash: 'bigint', text: 'text' }, missing)} where true
      returning id, text`.execute(queries);
    for (const { id, text } of added) {
      this.#ids.set(text, id);
      this.#added.add(id);
    }
  }

  /** Returns the number of a text that was added. */
  id(text: string): number {
    const id = this.#ids.get(text);
    if (id === undefined) throw new Error(`the text ${text} has no number`);
    return id;
  }

  /** Notes that rows name a text now, or no longer. */
  count(id: number | null, by: number): void {
    if (id !== null) this.#uses.set(id, (this.#uses.get(id) ?? 0) + by);
  }

  /** Stores how many rows name the texts, and deletes those that none names. */
  async settle(): Promise<void> {
    const { queries, dialect, tables } = this.#graph;
    const changed = [...this.#uses].filter(([, by]) => by !== 0).map(([id, by]) => ({ id, by }));
    if (changed.length > 0)
      await sql`
        update ${tables.texts} set uses = uses + given.by
        from ${givenRows(dialect, { id: 'bigint', by: 'bigint' }, changed)}
        where ${tables.texts}.id = given.id`.execute(queries);
    const mayBeUnused = [
      ...changed.filter(({ by }) => by < 0).map(({ id }) => id),
      ...[...this.#added].filter((id) => (this.#uses.get(id) ?? 0) === 0),
    ];
    if (mayBeUnused.length > 0)
      await sql`
        delete from ${tables.texts}
        where uses = 0 and id in (select id from ${givenIds(dialect, mayBeUnused)})`.execute(queries);
  }
}
