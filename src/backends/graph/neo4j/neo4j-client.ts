import { auth, type ManagedTransaction, driver as openDriver } from 'neo4j-driver';
import { ExternalServiceError } from '../../../foundation/kernel/errors.ts';

export interface Neo4jOptions {
  readonly uri: string;
  readonly user: string;
  /** `undefined`: the server requires no authentication. */
  readonly password: string | undefined;
  /** Default: the default database of the server. */
  readonly database: string | undefined;
  /** Maximum time of a read, in milliseconds. Default: 2,000. */
  readonly readTimeoutMs?: number | undefined;
}

/** Runs one statement of a transaction and returns its rows. Whole numbers are sent as integers. */
export type RunCypher = <Row>(
  cypher: string,
  parameters?: Record<string, unknown>,
) => Promise<readonly Row[]>;

export interface Neo4jClient {
  /** Runs a read in one transaction. @throws the error of the driver, or ExternalServiceError after the timeout */
  read<T>(work: (run: RunCypher) => Promise<T>): Promise<T>;
  /** Runs a write in one transaction, again after a transient error. It must be idempotent. */
  write<T>(work: (run: RunCypher) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const defaultReadTimeoutMs = 2_000;
const writeTimeoutMs = 60_000;

/** Opens a pool of connections. Nothing is sent before the first read or write. */
export function openNeo4jClient(options: Neo4jOptions): Neo4jClient {
  const { uri, user, password, database, readTimeoutMs = defaultReadTimeoutMs } = options;
  const driver = openDriver(uri, password === undefined ? undefined : auth.basic(user, password), {
    connectionTimeout: readTimeoutMs,
    connectionAcquisitionTimeout: readTimeoutMs,
    maxTransactionRetryTime: 5_000,
    maxConnectionPoolSize: 20,
    disableLosslessIntegers: true,
    telemetryDisabled: true,
    userAgent: 'orgctx',
  });
  const run = async <T>(
    mode: 'executeRead' | 'executeWrite',
    work: (run: RunCypher) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> => {
    const session = driver.session(database === undefined ? {} : { database });
    // A server that hangs does not end the transaction either, so the caller stops waiting.
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(timedOut(timeoutMs)), timeoutMs);
    const done = session[mode]((tx) => work(statements(tx)), { timeout: timeoutMs });
    void done.catch(() => {}).then(() => session.close().catch(() => {}));
    try {
      return await Promise.race([done, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    read: (work) => run('executeRead', work, readTimeoutMs),
    write: (work) => run('executeWrite', work, writeTimeoutMs),
    close: () => driver.close(),
  };
}

function timedOut(timeoutMs: number): ExternalServiceError {
  return new ExternalServiceError('neo4j', `Neo4j did not answer within ${timeoutMs} ms.`, {
    retryable: true,
  });
}

function statements(tx: ManagedTransaction): RunCypher {
  return async <Row>(cypher: string, parameters: Record<string, unknown> = {}) => {
    const { records } = await tx.run(cypher, withIntegers(parameters));
    return records.map((record) => record.toObject() as Row);
  };
}

/** Converts whole numbers to BigInt, which the driver sends as integers; it sends numbers as floating point. */
function withIntegers(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withIntegers(one)]));
  return value;
}
