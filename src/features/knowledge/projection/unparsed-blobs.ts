import { sql } from 'kysely';
import { languageOf } from '../../../backends/codesearch/port.ts';
import type { ParseFailure } from '../../../backends/languages/port.ts';
import type { DerivedDatabase } from '../../../foundation/db/derived/open-derived.ts';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import type { UnparsedFile } from './left-out-files.ts';
import { rulesVersion } from './projection-mark.ts';

/** The failures that cost time, and that the same bytes would repeat. */
export type CostlyFailure = 'too_slow' | 'crashed';

function isCostly(failed: ParseFailure): failed is CostlyFailure {
  return failed === 'too_slow' || failed === 'crashed';
}

/**
 * The blobs of a repository whose grammar failed, as of now and of former projections, so that their time is lost once.
 * They are kept as soon as they are known, because the next one may end the process.
 */
export class UnparsedBlobs {
  readonly #derived: DerivedDatabase;
  readonly #repositoryId: string;
  /** Reasons by blob and language. */
  readonly #reasons: Map<string, CostlyFailure>;

  private constructor(derived: DerivedDatabase, repositoryId: string, reasons: Map<string, CostlyFailure>) {
    this.#derived = derived;
    this.#repositoryId = repositoryId;
    this.#reasons = reasons;
  }

  /** Reads what is known of a repository. Deletes what former rules found, because others may not fail. */
  static async read(derived: DerivedDatabase, repositoryId: string): Promise<UnparsedBlobs> {
    const rows = await derived.queries
      .selectFrom('unparsed_blobs')
      .select(['blob', 'reason', 'rules'])
      .where('repository_id', '=', repositoryId)
      .execute();
    const current = rows.filter(({ rules }) => rules === rulesVersion);
    if (current.length < rows.length) {
      await derived.transaction((tx) =>
        tx
          .deleteFrom('unparsed_blobs')
          .where('repository_id', '=', repositoryId)
          .where('rules', '<>', rulesVersion)
          .execute(),
      );
    }
    return new UnparsedBlobs(
      derived,
      repositoryId,
      new Map(current.map(({ blob, reason }) => [blob, reason])),
    );
  }

  /** Returns why a file is known to fail. */
  reasonOf(path: string, oid: string): CostlyFailure | undefined {
    return this.#reasons.get(keyOf(path, oid));
  }

  async remember(files: readonly UnparsedFile[]): Promise<void> {
    const added = new Map<string, CostlyFailure>();
    for (const { path, oid, failed } of files) {
      const blob = keyOf(path, oid);
      if (isCostly(failed) && !this.#reasons.has(blob)) added.set(blob, failed);
    }
    if (added.size === 0) return;
    const rows = [...added].map(([blob, reason]) => ({
      repository_id: this.#repositoryId,
      blob,
      reason,
      rules: rulesVersion,
    }));
    await this.#derived.transaction((tx) =>
      tx
        .insertInto('unparsed_blobs')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['repository_id', 'blob']).doUpdateSet((e) => ({
            reason: e.ref('excluded.reason'),
            rules: rulesVersion,
          })),
        )
        .execute(),
    );
    for (const [blob, reason] of added) this.#reasons.set(blob, reason);
  }

  /** Forgets all blobs but those of some files. */
  async keepOnly(files: Iterable<UnparsedFile>): Promise<void> {
    const kept = new Set<string>();
    for (const { path, oid, failed } of files) if (isCostly(failed)) kept.add(keyOf(path, oid));
    const gone = [...this.#reasons.keys()].filter((blob) => !kept.has(blob)).map((blob) => ({ blob }));
    if (gone.length === 0) return;
    const { dialect } = this.#derived;
    await this.#derived.transaction((tx) =>
      tx
        .deleteFrom('unparsed_blobs')
        .where('repository_id', '=', this.#repositoryId)
        .where('blob', 'in', sql<string>`(select blob from ${givenRows(dialect, { blob: 'text' }, gone)})`)
        .execute(),
    );
    for (const { blob } of gone) this.#reasons.delete(blob);
  }
}

/** Forgets what is known of a repository. */
export async function deleteUnparsed({ transaction }: DerivedDatabase, repositoryId: string): Promise<void> {
  await transaction((tx) =>
    tx.deleteFrom('unparsed_blobs').where('repository_id', '=', repositoryId).execute(),
  );
}

/** The language decides the grammar, and the path or the content decides the language. */
function keyOf(path: string, oid: string): string {
  return `${oid} ${languageOf(path)}`;
}
