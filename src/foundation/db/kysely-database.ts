import { Kysely, type Dialect as KyselyDialect } from 'kysely';
import { insideTransaction } from '../kernel/inside-transaction.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, Dialect } from './database.ts';
import { guardedDialect } from './guarded-dialect.ts';
import { retryTransaction } from './retry-transaction.ts';
import { assertNoTransaction, outsideTransactions } from './transaction-scope.ts';

/** The driver-specific parts of a database: notifications and closing. */
export interface DriverParts {
  readonly dialect: Dialect;
  readonly kysely: KyselyDialect;
  /** Opens connections that bypass a pooler; absent if `kysely` does not use one. */
  readonly direct?: () => KyselyDialect;
  /** Schema of the tables on Postgres, if it is not the connection's default. */
  readonly schema?: string;
  subscribe(channel: string, onChange: () => void): () => void;
  /** Called after each commit of this process. */
  onCommit?(): void;
  /** Called before the connections are closed. */
  beforeClose(): Promise<void>;
}

export function kyselyDatabase<Schema>(parts: DriverParts, log: Logger): Database<Schema> {
  const inSchema = (queries: Kysely<Schema>): Kysely<Schema> =>
    parts.schema === undefined ? queries : queries.withSchema(parts.schema);
  const connect = (dialect: KyselyDialect): Kysely<Schema> =>
    inSchema(new Kysely<Schema>({ dialect: guardedDialect(dialect, log), plugins: [outsideTransactions] }));
  const queries = connect(parts.kysely);
  let closing: Promise<void> | undefined;
  return {
    dialect: parts.dialect,
    queries,
    transaction: async (work) => {
      assertNoTransaction();
      const result = await retryTransaction(
        () =>
          queries.transaction().execute((tx) => insideTransaction(() => work(inSchema(tx.withoutPlugins())))),
        log,
      );
      parts.onCommit?.();
      return result;
    },
    session: async (work) => {
      if (parts.direct === undefined) return queries.connection().execute(work);
      const direct = connect(parts.direct());
      try {
        return await direct.connection().execute(work);
      } finally {
        await direct.destroy();
      }
    },
    subscribe: (channel, onChange) => parts.subscribe(channel, onChange),
    close: () => {
      closing ??= parts.beforeClose().then(() => queries.destroy());
      return closing;
    },
  };
}
