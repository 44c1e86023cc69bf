import type { GitDeps } from '../../../foundation/git/process/git-deps.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { GithostsDeps } from '../../githosts/githosts-deps.ts';
import type { RepositoriesDeps } from '../../repositories/repositories-deps.ts';
import type { ConnectionsDeps } from '../connections/connections-deps.ts';
import type { Connector } from '../port.ts';

/** The dependencies of the steps that set a connection up. */
export interface SetupDeps extends ConnectionsDeps {
  readonly connectors: readonly Connector[];
  /** The parsed settings of all connectors, by name. They contain secrets. */
  readonly providerSettings: Readonly<Record<string, unknown>>;
  readonly githosts: GithostsDeps;
  readonly repositories: RepositoriesDeps;
  readonly git: GitDeps;
  readonly log: Logger;
}

/** Returns the connector of a stored connection. Throws if this program has none of its kind. */
export function connectorOf(connectors: readonly Connector[], kind: string): Connector {
  const found = connectors.find((connector) => connector.kind === kind);
  if (found === undefined) throw new Error(`This version has no connector of the kind ${kind}.`);
  return found;
}
