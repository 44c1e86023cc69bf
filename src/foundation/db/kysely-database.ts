import { Kysely, type Dialect as KyselyDialect } from 'kysely';
import { insideTransaction } from '../kernel/inside-transaction.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, Dialect } from './database.ts';
import { guardedDialect } from './guarded-dialect.ts';
import { retryTransaction } from './retry-transaction.ts';
import type { Tables } from './tables.ts';
import { assertNoTransaction, outsideTransactions } from './transaction-scope.ts';

/** What a driver adds to the queries: its news, and how it is closed. */
export interface DriverParts {
  readonly dialect: Dialect;
  readonly kysely: KyselyDialect;
  subscribe(channel: string, onNews: () => void): () => void;
  /** Called after each commit of this process. */
  committed?(): void;
  /** Before the connections close. */
  closing(): Promise<void>;
}

export function kyselyDatabase(parts: DriverParts, log: Logger): Database {
  const queries = new Kysely<Tables>({
    dialect: guardedDialect(parts.kysely),
    plugins: [outsideTransactions],
  });
  let closing: Promise<void> | undefined;
  return {
    dialect: parts.dialect,
    queries,
    transaction: async (work) => {
      assertNoTransaction();
      const result = await retryTransaction(
        () => queries.transaction().execute((tx) => insideTransaction(() => work(tx.withoutPlugins()))),
        log,
      );
      parts.committed?.();
      return result;
    },
    subscribe: (channel, onNews) => parts.subscribe(channel, onNews),
    close: () => {
      closing ??= parts.closing().then(() => queries.destroy());
      return closing;
    },
  };
}
