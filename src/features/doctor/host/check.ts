import type { Config, Secrets } from '../../../foundation/config/config.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { SchemaState } from '../../../foundation/db/migrations/migrate.ts';
import type { MigrationSet } from '../../../foundation/db/migrations/migration.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';

/** The input of a check. Checks are read-only. */
export interface Host {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Reads the state of the service at CODESEARCH_URL; `undefined` if none is configured. @throws Unavailable */
  readonly askCodeSearch?: (() => Promise<{ readonly version: string; readonly ready: boolean }>) | undefined;
  /** Lets the language model call a tool; `undefined` if none is configured. @throws OrgctxError if it fails */
  readonly askModel?: (() => Promise<void>) | undefined;
  /** The address of the service, and a function that asks it. @throws OutboundError if nothing answers */
  readonly server?: { readonly url: string; ask(): Promise<ServerStatus> } | undefined;
}

/** The answer of the server at `/.status`. */
export interface ServerStatus {
  readonly status: number;
  /** `undefined` if something else than orgctx answers. */
  readonly version: string | undefined;
}

/** A host whose database opened and has the schema of this program. */
export interface HostWithDatabase extends Host {
  readonly database: Database;
  /** The migrations of this program. */
  readonly migrations: MigrationSet;
}

export interface Check<Needs> {
  readonly id: string;
  readonly title: string;
  /** Time-out, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Runs the check. If it throws or times out, the check has failed. */
  run(host: Needs): Promise<CheckOutcome>;
}

export type HostCheck = Check<Host>;
export type DatabaseCheck = Check<HostWithDatabase>;
/** Checks the schema, on which the following checks depend. */
export type SchemaCheck = Check<HostWithDatabase & { readonly state: SchemaState }>;

export interface CheckOutcome {
  readonly status: 'pass' | 'warning' | 'fail' | 'skipped';
  /** The observation. */
  readonly message: string;
  /** The next step for the operator. */
  readonly hint?: string;
  /** The facts behind the outcome; never a secret. */
  readonly evidence?: Evidence;
}

type Evidence = Readonly<Record<string, string | number | boolean | null>>;

export function pass(message: string, evidence?: Evidence): CheckOutcome {
  return { status: 'pass', message, ...(evidence && { evidence }) };
}

export function warning(message: string, hint: string, evidence?: Evidence): CheckOutcome {
  return { status: 'warning', message, hint, ...(evidence && { evidence }) };
}

export function fail(message: string, hint: string, evidence?: Evidence): CheckOutcome {
  return { status: 'fail', message, hint, ...(evidence && { evidence }) };
}

export function skipped(message: string): CheckOutcome {
  return { status: 'skipped', message };
}
