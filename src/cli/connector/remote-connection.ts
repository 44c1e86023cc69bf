import type { z } from 'zod';
import {
  connectionRecord,
  pullRequestRecord,
} from '../../features/connectors/connections/connection-record.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { Style } from '../frame/channel.ts';
import { ageOfTime } from '../frame/lists/age.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { findEntry, type RemoteList } from '../remote/remote-page.ts';
import { tolerant } from '../remote/tolerant.ts';

export const remoteConnection = tolerant(connectionRecord);
export type RemoteConnection = z.output<typeof remoteConnection>;

export const remotePullRequest = tolerant(pullRequestRecord);
export type RemotePullRequest = z.output<typeof remotePullRequest>;

const styles: Readonly<Record<string, Style>> = { connected: 'green', degraded: 'red', disconnected: 'red' };

export function styleOf({ state }: Pick<RemoteConnection, 'state'>): Style {
  return styles[state] ?? 'yellow';
}

export const connectionList: RemoteList<RemoteConnection> = {
  path: '/connections',
  item: remoteConnection,
  plural: 'connections',
  idOf: ({ id }) => id,
  labelOf: ({ name }) => name,
  columns: (shortId) => [
    { title: 'NAME', cell: ({ name }) => name, shrinks: 3 },
    { title: 'ID', cell: shortId },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'STATE', cell: ({ state }) => state, style: styleOf },
    { title: 'ACCOUNT', cell: ({ account }) => account?.name ?? '', shrinks: 4 },
    { title: 'REPOSITORY', cell: ({ binding }) => binding?.repository ?? '', shrinks: 2 },
    { title: 'SYNCED', cell: ({ lastSyncAt }) => ageOfTime(lastSyncAt, '') },
    { title: 'ERROR', cell: ({ error }) => error?.message ?? '', style: () => 'red', shrinks: 1 },
  ],
  none: 'There is no connection. Add one: "orgctx connector add <kind>".',
};

export function connectionPath(id: string): string {
  return `/connections/${encodeURIComponent(id)}`;
}

/** Returns the connection with this name, id or start of an id. @throws NotFound */
export async function findConnection(api: ApiClient, nameOrId: string): Promise<RemoteConnection> {
  const found = await findEntry(api, connectionList, nameOrId, ({ name }) => name === nameOrId);
  if (found !== undefined) return found;
  throw new NotFound(
    `There is no connection "${nameOrId}" in ${api.target.org}. Run "orgctx connector list" to see them.`,
  );
}

/** Returns the outcome of a request for the configuration pull request of a connection. */
export function pullInWords(name: string, { state, url }: RemotePullRequest): string {
  return visibleLine(
    url
      ? `The configuration pull request of ${name} is ${state}: ${url}`
      : `The branch has the configuration of ${name} already; no pull request is needed.`,
  );
}

/** Returns how a person gives a connection an OAuth app. */
export function registrationOf({ name, kind, redirectUri, webhookUrl }: RemoteConnection): string {
  const connector = connectors.find((each) => each.kind === kind);
  const appHasWebhookSecret = connector?.appHasWebhookSecret ?? false;
  const place = connector === undefined ? kind : `${connector.product} (${connector.registration.page})`;
  const webhook = appHasWebhookSecret ? ` and the webhook URL ${webhookUrl}` : '';
  const files = `--client-secret-file <file>${appHasWebhookSecret ? ' --webhook-secret-file <file>' : ''}`;
  return visibleLine(
    `Register an app at ${place} with the redirect URI ${redirectUri}${webhook}, then give its credentials: ` +
      `"orgctx connector resume ${name} --no-input --client-id <id> ${files}".`,
  );
}

/** Returns what a person does next for a connection. */
export function nextStepOf(connection: RemoteConnection): string {
  const { name, state, pullRequest, binding, appConfigured } = connection;
  const resume = `"orgctx connector resume ${name}`;
  switch (state) {
    case 'draft':
    case 'disconnected':
      if (!appConfigured) return registrationOf(connection);
      return visibleLine(`Authorize the account: ${resume}".`);
    case 'authorized':
      return visibleLine(
        binding
          ? `Open the configuration pull request: "orgctx connector retry ${name}".`
          : `Choose where to mirror: ${resume}", or ${resume} --no-input --githost <connection> --repository <owner/name>" with a scope.`,
      );
    case 'awaiting_merge':
      return visibleLine(
        pullRequest?.state === 'closed'
          ? `Open the pull request again: "orgctx connector retry ${name}".`
          : `Merge the configuration pull request: ${pullRequest?.url ?? ''}`,
      );
    case 'degraded':
      return visibleLine(`When the cause is fixed, try again now: "orgctx connector sync ${name}".`);
    default:
      return '';
  }
}

/** Returns what a command says whose work goes on in jobs, with the error that may stop them. */
export function startedInWords(work: 'sync' | 'rebuild', { name, error }: RemoteConnection) {
  return {
    text: visibleLine(
      `The ${work} of ${name} has started. "orgctx connector status ${name}" shows its progress.`,
    ),
    notes: error ? [visibleLine(`The connection had an error: ${error.message}`)] : [],
  };
}
