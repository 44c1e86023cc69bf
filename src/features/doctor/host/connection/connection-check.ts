import type { Connection } from '../../../connectors/connections/connection.ts';
import type { ConnectionsDeps } from '../../../connectors/connections/connections-deps.ts';
import type { ConnectionWithSetup } from '../../../connectors/connections/show-connections.ts';
import type { Connector } from '../../../connectors/port.ts';
import type { Check, Host } from '../check.ts';

/** The input of a check of one connection. */
export interface CheckedConnection extends Pick<Host, 'server'> {
  readonly deps: ConnectionsDeps;
  readonly connector: Connector;
  readonly connection: Connection & ConnectionWithSetup;
  readonly signal: AbortSignal;
}

export type ConnectionCheck = Check<CheckedConnection>;

/** Returns the command that goes on with the setup of a connection, quoted. */
export function resume({ connection: { name } }: CheckedConnection): string {
  return `"orgctx connector resume ${name}"`;
}
