import type { DerivedSchema } from '../../../foundation/db/derived/derived-schema.ts';
import { schemaDialect } from '../../../foundation/db/migrations/migration.ts';
import type { CostlyFailure } from './unparsed-blobs.ts';

declare module '../../../foundation/db/derived/derived-tables.ts' {
  interface DerivedTables {
    projection_marks: ProjectionMarkRow;
    unparsed_blobs: UnparsedBlobRow;
  }
}

/** The progress of the projection of a repository. */
interface ProjectionMarkRow {
  repository_id: string;
  /** The commit whose files have been projected; empty before the first time. */
  commit_id: string;
  /** The commit whose files are being projected; null when that is finished. */
  target: string | null;
  /** Hash of what the facts depend on besides the content of the repository. */
  basis: string | null;
  /** The newest commit of the history that was not projected yet; null when there is none. */
  rest: string | null;
  /** Hash of the renames that the history was projected with. */
  renames: string | null;
  /** JSON `LeftOutFiles` of `commit_id`; null if there are none. */
  left_out: string | null;
  projected_at: number;
}

/** A blob whose grammar failed. */
interface UnparsedBlobRow {
  repository_id: string;
  /** Its id and language. */
  blob: string;
  reason: CostlyFailure;
  /** The version of the rules by which it failed. */
  rules: number;
}

/**
 * The tables of the projection. Increase the version with every change of them or of the rules that nodes are made by.
 */
export const projectionSchema: DerivedSchema = {
  name: 'projection',
  version: 5,
  async create(db, dialect) {
    const d = schemaDialect(dialect);
    await d
      .createTable(db, 'projection_marks')
      .addColumn('repository_id', d.text, (c) => c.primaryKey())
      .addColumn('commit_id', d.text, (c) => c.notNull())
      .addColumn('target', d.text)
      .addColumn('basis', d.text)
      .addColumn('rest', d.text)
      .addColumn('renames', d.text)
      .addColumn('left_out', d.text)
      .addColumn('projected_at', d.int64, (c) => c.notNull())
      .execute();
    await d
      .createTable(db, 'unparsed_blobs')
      .addColumn('repository_id', d.text, (c) => c.notNull())
      .addColumn('blob', d.text, (c) => c.notNull())
      .addColumn('reason', d.text, (c) => c.notNull())
      .addColumn('rules', d.int64, (c) => c.notNull())
      .addPrimaryKeyConstraint('unparsed_blobs_key', ['repository_id', 'blob'])
      .execute();
  },
};
