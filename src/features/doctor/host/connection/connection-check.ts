import type { OwnedConnection } from '../../../connectors/connections/connection-state-store.ts';
import type { ConnectionWithSetup } from '../../../connectors/connections/show-connections.ts';
import type { Connector } from '../../../connectors/port.ts';
import type { SetupDeps } from '../../../connectors/setup/setup-deps.ts';
import type { Check, Host } from '../check.ts';

/** What the checks of a connection need. */
export type ConnectionDoctorDeps = Omit<SetupDeps, 'repositories' | 'git' | 'log'>;

/** The input of a check of one connection. */
export interface CheckedConnection extends Pick<Host, 'server'> {
  readonly deps: ConnectionDoctorDeps;
  readonly connector: Connector;
  readonly connection: OwnedConnection & ConnectionWithSetup;
  readonly signal: AbortSignal;
}

export type ConnectionCheck = Check<CheckedConnection>;

/** Returns whether the account of a connection is authorized. */
export function isAuthorized({ connection: { state } }: CheckedConnection): boolean {
  return state !== 'draft' && state !== 'disconnected';
}

/** Returns whether the content of a connection is mirrored. */
export function isConnected({ connection: { state } }: CheckedConnection): boolean {
  return state === 'connected' || state === 'degraded';
}

/** Returns the command that goes on with the setup of a connection, quoted. */
export function resume({ connection: { name } }: CheckedConnection): string {
  return `"orgctx connector resume ${name}"`;
}
