import { type Parameter, text, toggle } from '../frame/parameters.ts';
import { type RemoteFlagValues, remoteFlags } from '../remote/remote-target.ts';
import type { RemoteConnection, RemotePullRequest } from './remote-connection.ts';
import { scopeFlags } from './scope-flags.ts';
import type { ChosenScope } from './setup-steps.ts';

/** The flags of the commands that set a connection up. */
export const setupFlags = {
  clientId: text('text', 'client id of an OAuth app of your own'),
  clientSecretFile: text('file', 'file with its client secret; `-` reads it from stdin'),
  webhookSecretFile: text('file', 'file with its webhook secret; `-` reads it from stdin'),
  githost: text('connection', 'Git-host connection that can write the repository: name, id or start of it'),
  repository: text('owner/name', 'repository to mirror into; it may be empty'),
  branch: text('name', 'branch to mirror into; default: the default branch'),
  wait: toggle('without questions: wait for the authorization, the merge and the first sync'),
  noBrowser: toggle('do not open a browser'),
  ...remoteFlags,
  ...scopeFlags,
} satisfies Readonly<Record<string, Parameter<unknown>>>;

export interface SetupFlags extends RemoteFlagValues {
  readonly clientId: string | undefined;
  readonly clientSecretFile: string | undefined;
  readonly webhookSecretFile: string | undefined;
  readonly githost: string | undefined;
  readonly repository: string | undefined;
  readonly branch: string | undefined;
  readonly wait: boolean;
  readonly noBrowser: boolean;
}

/** The answers that the flags give. */
export type GivenAnswers = SetupFlags & { readonly chosenScope: ChosenScope | undefined };

/** A connection after the steps of one run. */
export interface SetupResult {
  readonly connection: RemoteConnection;
  readonly authorizationUrl?: string | undefined;
  readonly pullRequest?: RemotePullRequest | undefined;
}
