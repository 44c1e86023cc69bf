import type { Config, Secrets } from '../../../foundation/config/config.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { SchemaState } from '../../../foundation/db/migrate.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';

/** What a check may look at. It changes nothing. */
export interface Host {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Asks the service at CODESEARCH_URL for its state; `undefined` where there is none. @throws Unavailable */
  readonly askCodeSearch?: (() => Promise<{ readonly version: string; readonly ready: boolean }>) | undefined;
}

/** A host whose database opened and has the schema of this program. */
export interface HostWithDatabase extends Host {
  readonly database: Database;
}

export interface Check<Needs> {
  readonly id: string;
  readonly title: string;
  /** What it throws is a failed check; so is an answer that does not come in time. */
  run(host: Needs): Promise<CheckOutcome>;
}

export type HostCheck = Check<Host>;
export type DatabaseCheck = Check<HostWithDatabase>;
/** Judges the schema, which the checks after it rely on. */
export type SchemaCheck = Check<HostWithDatabase & { readonly state: SchemaState }>;

export interface CheckOutcome {
  readonly status: 'pass' | 'warning' | 'fail' | 'skipped';
  /** What was seen. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** What the outcome rests on; never a secret. */
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
