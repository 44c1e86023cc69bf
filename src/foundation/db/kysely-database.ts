import { Kysely, type Dialect as KyselyDialect } from 'kysely';
import { insideTransaction } from '../kernel/inside-transaction.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, Dialect } from './database.ts';
import { guardedDialect } from './guarded-dialect.ts';
import { retryTransaction } from './retry-transaction.ts';
import { assertNoTransaction, outsideTransactions } from './transaction-scope.ts';

/** What a driver adds to the queries: its news, and how it is closed. */
export interface DriverParts {
  readonly dialect: Dialect;
  readonly kysely: KyselyDialect;
  /** Connections past a pooler; absent where `kysely` has no pooler before it. */
  readonly direct?: () => KyselyDialect;
  /** Of Postgres, where the tables lie in another schema than the connection's own. */
  readonly schema?: string;
  subscribe(channel: string, onNews: () => void): () => void;
  /** Called after each commit of this process. */
  committed?(): void;
  /** Before the connections close. */
  closing(): Promise<void>;
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
      parts.committed?.();
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
    subscribe: (channel, onNews) => parts.subscribe(channel, onNews),
    close: () => {
      closing ??= parts.closing().then(() => queries.destroy());
      return closing;
    },
  };
}
