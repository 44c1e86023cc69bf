import { authorizationRecord } from '../../features/connectors/connections/connection-record.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { CommandContext } from '../frame/context.ts';
import { openInBrowser } from '../login/open-browser.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { tolerant } from '../remote/tolerant.ts';
import {
  connectionPath,
  type RemoteConnection,
  type RemotePullRequest,
  remoteConnection,
  remotePullRequest,
} from './remote-connection.ts';

/** The chosen scope: the block `scope` of the configuration. */
export type ChosenScope = Readonly<Record<string, unknown>>;

export interface AppCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret?: string | undefined;
}

/** Saves the OAuth app of a connection. */
export function saveApp(
  api: ApiClient,
  { id }: RemoteConnection,
  body: AppCredentials,
): Promise<RemoteConnection> {
  return api.call({ method: 'PUT', path: `${connectionPath(id)}/app`, body }, remoteConnection);
}

const authorization = tolerant(authorizationRecord);

/** Starts an authorization, shows its address and opens it in a browser. Returns the address. */
export async function beginAuthorization(
  api: ApiClient,
  { id }: RemoteConnection,
  { noBrowser }: { readonly noBrowser: boolean },
  context: CommandContext,
): Promise<string> {
  const path = `${connectionPath(id)}/authorize`;
  const { authorizationUrl } = await api.call({ method: 'POST', path }, authorization);
  if (context.terminal.interactive && !noBrowser) openInBrowser(authorizationUrl, context);
  context.terminal.note(visibleLine(`Authorize the account with a browser: ${authorizationUrl}`));
  return authorizationUrl;
}

/** Returns whether the account of a connection must be authorized next. */
export function isUnauthorized({ state }: RemoteConnection): boolean {
  return state === 'draft' || state === 'disconnected';
}

export interface ChosenBinding {
  readonly githostConnectionId: string;
  readonly repository: string;
  readonly branch?: string | undefined;
  readonly scope: ChosenScope;
}

/** Opens the configuration pull request, or retries it. */
export function propose(
  api: ApiClient,
  { id }: RemoteConnection,
  binding: ChosenBinding | undefined,
): Promise<RemotePullRequest> {
  const path = `${connectionPath(id)}/pull-request`;
  const body = binding === undefined ? undefined : { binding };
  return api.call({ method: 'POST', path, body }, remotePullRequest);
}

export function readConnection(api: ApiClient, { id }: RemoteConnection): Promise<RemoteConnection> {
  return api.call({ path: connectionPath(id) }, remoteConnection);
}
