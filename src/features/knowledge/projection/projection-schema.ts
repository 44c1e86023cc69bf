import type { DerivedSchema } from '../../../foundation/db/derived/derived-schema.ts';
import { schemaDialect } from '../../../foundation/db/migrations/migration.ts';

declare module '../../../foundation/db/derived/derived-tables.ts' {
  interface DerivedTables {
    projection_marks: ProjectionMarkRow;
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
  projected_at: number;
}

/**
 * The tables of the projection. Increase the version with every change of them or of the rules that nodes are made by.
 */
export const projectionSchema: DerivedSchema = {
  name: 'projection',
  version: 4,
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
      .addColumn('projected_at', d.int64, (c) => c.notNull())
      .execute();
  },
};
