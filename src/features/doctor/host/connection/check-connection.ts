import { NotFound } from '../../../../foundation/kernel/errors.ts';
import { findConnectionAcrossOrganizations } from '../../../connectors/connections/connection-store.ts';
import { type ConnectionsDeps, connectorOf } from '../../../connectors/connections/connections-deps.ts';
import { showConnection } from '../../../connectors/connections/show-connections.ts';
import type { Host } from '../check.ts';
import { type CheckResult, type HostReport, reportOf } from '../report.ts';
import { type RunOptions, runCheck } from '../run-check.ts';
import { acceptanceCheck, arrivalCheck, jobsCheck, webhookAddressCheck } from './check-edits.ts';
import {
  credentialsCheck,
  pullRequestCheck,
  scopeCheck,
  stateCheck,
  writeAccessCheck,
} from './check-setup.ts';
import type { ConnectionCheck } from './connection-check.ts';

/** The checks in the order of the setup, then along the way of an edit. */
const checks: readonly ConnectionCheck[] = [
  stateCheck,
  credentialsCheck,
  writeAccessCheck,
  pullRequestCheck,
  scopeCheck,
  webhookAddressCheck,
  arrivalCheck,
  acceptanceCheck,
  jobsCheck,
];

export interface ConnectionDoctorOptions extends RunOptions, Pick<Host, 'server'> {
  readonly deps: ConnectionsDeps;
}

/** The report of one connection. */
export interface ConnectionReport extends HostReport {
  readonly connection: { readonly id: string; readonly kind: string; readonly name: string };
}

/**
 * Checks one connection of any organization from its credentials to its jobs. For the operator of the host.
 * @throws NotFound
 */
export async function checkConnection(
  { deps, server, ...options }: ConnectionDoctorOptions,
  id: string,
): Promise<ConnectionReport> {
  const connection = await requireShown(deps, id);
  const connector = connectorOf(deps.connectors, connection.kind);
  const checked = { deps, connector, connection, server, signal: options.signal };
  const results: CheckResult[] = [];
  for (const check of checks) results.push(await runCheck(check, checked, options));
  const { kind, name } = connection;
  return { ...reportOf(results), connection: { id: connection.id, kind, name } };
}

async function requireShown(deps: ConnectionsDeps, id: string) {
  const found = await findConnectionAcrossOrganizations(deps.database.queries, id);
  if (found === undefined) {
    throw new NotFound(`There is no connection ${id}. Run "orgctx connector list" to see the connections.`);
  }
  const { organizationId } = found;
  return { ...found, ...(await showConnection(deps, { organizationId }, id)) };
}
