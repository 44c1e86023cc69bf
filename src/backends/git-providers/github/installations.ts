import { apiPath, unless } from '../host-api.ts';
import { type GitHost, GitHostError, type HostAccount, type Installation } from '../port.ts';
import type { Connection } from './connection.ts';
import { appShape, type InstallationAnswer, installationShape } from './shapes.ts';

/**
 * Returns the permissions that an installation must grant. Reading metadata is always granted. An App with a webhook
 * reports the pushes of all repositories, which then need none of their own.
 */
function neededPermissions({ settings }: Connection): Readonly<Record<string, string>> {
  const hooks = settings.webhookSecret === undefined ? { repository_hooks: 'write' } : {};
  return { contents: 'write', pull_requests: 'write', ...hooks };
}

export function openInstallations(
  connection: Connection,
): Pick<GitHost, 'account' | 'installUrl' | 'installation'> {
  return {
    async account(signal) {
      const found = await findInstallation(connection, connection.installationId(), signal);
      const { host } = connection;
      if (found === undefined) {
        const message = `The App is no longer installed at ${host}. Install it again with the install URL of the Git-host connection.`;
        throw new GitHostError(host, 'authentication', message);
      }
      if (isSuspended(found)) {
        const message = `${host} has suspended this installation of the App. Unsuspend it in the settings of its account.`;
        throw new GitHostError(host, 'authentication', message);
      }
      return accountOf(connection, found);
    },
    async installUrl(state, signal) {
      const slug = connection.settings.appSlug ?? (await readSlug(connection, signal));
      const { url } = connection.settings;
      const { hostname } = new URL(url);
      const isCloud = hostname === 'github.com' || hostname.endsWith('.ghe.com');
      const path = apiPath(isCloud ? 'apps' : 'github-apps', slug, 'installations', 'new');
      return `${url}${path}?${new URLSearchParams({ state }).toString()}`;
    },
    async installation(id, signal) {
      const found = await findInstallation(connection, id, signal);
      return found === undefined ? undefined : installationOf(connection, found);
    },
  };
}

/** Reads an installation as the App, so an id of another App's installation is not found. */
export async function findInstallation(
  connection: Connection,
  id: string,
  signal: AbortSignal,
): Promise<InstallationAnswer | undefined> {
  // The setup URL is open to anybody: its id is data.
  if (!/^[1-9]\d{0,17}$/.test(id)) return undefined;
  const call = {
    path: apiPath('app', 'installations', id),
    needs: 'metadata: read',
    subject: 'the installation of the App',
  };
  return unless(['not_found'], connection.asApp(call, installationShape, signal));
}

async function readSlug(connection: Connection, signal: AbortSignal): Promise<string> {
  const call = { path: apiPath('app'), needs: 'metadata: read', subject: 'the App' };
  return (await connection.asApp(call, appShape, signal)).slug;
}

function installationOf(connection: Connection, answer: InstallationAnswer): Installation {
  const missing = Object.entries(neededPermissions(connection)).filter(
    ([name, level]) => answer.permissions[name] !== level,
  );
  return {
    id: String(answer.id),
    account: accountOf(connection, answer),
    suspended: isSuspended(answer),
    changedAt: answer.updated_at ? Date.parse(answer.updated_at) : undefined,
    missingPermissions: missing.map(([name, level]) => `${name}: ${level}`),
  };
}

/** Returns the user or organization; an enterprise has a slug in place of a login. */
function accountOf({ settings }: Connection, { id, account }: InstallationAnswer): HostAccount {
  const name = account?.login ?? account?.slug ?? `installation ${id}`;
  return { id: String(account?.id ?? id), name, url: `${settings.url}${apiPath(name)}` };
}

function isSuspended({ suspended_at: suspendedAt }: InstallationAnswer): boolean {
  return typeof suspendedAt === 'string';
}
