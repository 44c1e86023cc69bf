import type { z } from 'zod';
import { gitProviders } from '../../app/open/git-providers.ts';
import { typedName } from '../../features/githosts/githost-connection.ts';
import { githostRecordOf, installUrlRecord } from '../../features/githosts/githost-record.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { Channel, Style } from '../frame/channel.ts';
import { inWords, type LabelledLine } from '../frame/in-words.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { findEntry, type RemoteList } from '../remote/remote-page.ts';
import { tolerant } from '../remote/tolerant.ts';

export const remoteGithost = tolerant(githostRecordOf(gitProviders.map(({ kind }) => kind)));

export type RemoteGithost = z.output<typeof remoteGithost>;

const installUrl = tolerant(installUrlRecord);

const styles: Readonly<Record<string, Style>> = { connected: 'green', failed: 'red' };

export const githostList: RemoteList<RemoteGithost> = {
  path: '/githost/connections',
  item: remoteGithost,
  plural: 'Git-host connections',
  idOf: ({ id }) => id,
  labelOf: ({ name }) => name,
  columns: (shortId) => [
    { title: 'NAME', cell: ({ name }) => name, shrinks: 3 },
    { title: 'ID', cell: shortId },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'STATE', cell: ({ state }) => state, style: ({ state }) => styles[state] },
    { title: 'ACCOUNT', cell: ({ account }) => account?.name ?? '', shrinks: 4 },
    { title: 'URL', cell: ({ url }) => url, shrinks: 2 },
    { title: 'ERROR', cell: ({ error }) => error?.message ?? '', style: () => 'red', shrinks: 1 },
  ],
  none: 'No Git host is connected. Connect one: "orgctx githost add <kind>".',
};

export function githostPath(id: string): string {
  return `/githost/connections/${encodeURIComponent(id)}`;
}

/** Returns the connection with this name, id or start of an id. @throws NotFound */
export async function findGithost(api: ApiClient, nameOrId: string): Promise<RemoteGithost> {
  const found = await findEntry(api, githostList, nameOrId, ({ name }) => name === nameOrId);
  if (found !== undefined) return found;
  throw new NotFound(
    `There is no Git-host connection "${nameOrId}" in ${api.target.org}. Run "orgctx githost list" to see them.`,
  );
}

/** Describes one connection as text, one line per field. */
export function githostInWords(githost: RemoteGithost, channel: Channel): string {
  const { id, name, kind, url, account, state, error } = githost;
  const rows: readonly LabelledLine[] = [
    ['id', visibleLine(id)],
    ['kind', visibleLine(kind)],
    ['url', visibleLine(url)],
    ['account', account ? visibleLine(account.name) : undefined],
    ['state', channel.style(styles[state] ?? 'yellow', visibleLine(state))],
    ['error', error ? channel.style('red', visibleLine(error.message)) : undefined],
  ];
  return inWords(visibleLine(name), rows, channel);
}

/**
 * Makes a new link to install the App of a connection, as the next step. It replaces the former link, so that only a
 * command that says so may call this.
 */
export async function installStep(api: ApiClient, { id }: RemoteGithost): Promise<NextStep> {
  const link = visibleLine((await api.call({ path: `${githostPath(id)}/install-url` }, installUrl)).url);
  return { text: `Install the App within 10 minutes, with a browser: ${link}`, installUrl: link };
}

/** Returns the next step for a connection. */
export function nextStepOf(githost: RemoteGithost): NextStep {
  const { kind, state } = githost;
  const word = visibleLine(typedName(githost));
  const newLink = `"orgctx githost status ${word} --link" prints a new link, which replaces the former one.`;
  if (state === 'pending') return { text: `The App must be installed with a link. ${newLink}` };
  if (state !== 'failed')
    return { text: `Add a repository: "orgctx repo add <owner/name> --githost ${word}".` };
  const text = 'Do what the error says. The connection is also checked again at intervals.';
  const isApp = gitProviders.some((provider) => provider.kind === kind && provider.can.install);
  return { text: isApp ? `${text}\nIf the App was uninstalled, install it again: ${newLink}` : text };
}

export interface NextStep {
  readonly text: string;
  readonly installUrl?: string;
}
