import type { z } from 'zod';
import { scopeOptionRecord } from '../../../features/connectors/port.ts';
import { connectors } from '../../../features/connectors/registry.ts';
import { hostRepositoryRecord } from '../../../features/githosts/githost-record.ts';
import { findGithost, githostList, githostPath, type RemoteGithost } from '../../githost/remote-githost.ts';
import type { ApiClient } from '../../remote/api-client.ts';
import { readPage } from '../../remote/remote-page.ts';
import { tolerant } from '../../remote/tolerant.ts';
import { connectionPath, type RemoteConnection } from '../remote-connection.ts';
import type { GivenAnswers } from '../setup-flags.ts';
import type { ChosenBinding, ChosenScope } from '../setup-steps.ts';
import { chooseManyPaged, choosePaged } from './choose-paged.ts';
import type { Prompts } from './prompts.ts';

const remoteScopeOption = tolerant(scopeOptionRecord);
const remoteHostRepository = tolerant(hostRepositoryRecord);
type RemoteHostRepository = z.output<typeof remoteHostRepository>;

/**
 * Asks for the repository, the branch and the scope, except what the flags give. Returns `undefined` if no Git host can
 * be chosen.
 */
export async function chooseBinding(
  api: ApiClient,
  connection: RemoteConnection,
  given: GivenAnswers,
  prompts: Prompts,
): Promise<ChosenBinding | undefined> {
  const githost = await chooseGithost(api, given, prompts);
  if (githost === undefined) return undefined;
  const chosen = await chooseRepository(api, githost, given, prompts);
  const branch =
    given.branch ??
    (chosen.defaultBranch === undefined
      ? undefined
      : await prompts.text('Branch to mirror into', { initial: chosen.defaultBranch }));
  const scope = given.chosenScope ?? (await chooseScope(api, connection, prompts));
  return { githostConnectionId: githost.id, repository: chosen.fullName, branch, scope };
}

async function chooseGithost(
  api: ApiClient,
  { githost }: GivenAnswers,
  prompts: Prompts,
): Promise<RemoteGithost | undefined> {
  if (githost !== undefined) return findGithost(api, githost);
  const list = {
    plural: 'Git-host connections',
    load: (_query: string | undefined, cursor: string | undefined) => readPage(api, githostList, { cursor }),
    choiceOf: (each: RemoteGithost) => ({ value: each, label: each.name, hint: `${each.kind}, ${each.url}` }),
  };
  const first = await list.load(undefined, undefined);
  if (first.items.length === 1 && first.nextCursor === null) return first.items[0];
  return choosePaged(prompts, 'Git host of the repository', list);
}

interface ChosenRepository {
  readonly fullName: string;
  readonly defaultBranch?: string | undefined;
}

async function chooseRepository(
  api: ApiClient,
  { id, name }: RemoteGithost,
  { repository }: GivenAnswers,
  prompts: Prompts,
): Promise<ChosenRepository> {
  if (repository !== undefined) return { fullName: repository };
  const path = `${githostPath(id)}/repositories`;
  const chosen = await choosePaged(prompts, 'Repository to mirror into; it may be empty', {
    plural: 'repositories',
    load: (q, cursor) => readPage(api, { path, item: remoteHostRepository }, { cursor, ...(q && { q }) }),
    choiceOf: (each: RemoteHostRepository) => ({
      value: each,
      label: each.fullName,
      hint: each.canWrite ? (each.empty ? 'empty' : '') : 'read only',
    }),
  });
  if (chosen !== undefined) return chosen;
  prompts.warn(`${name} can read no repository.`);
  return { fullName: await prompts.text('Repository to mirror into (owner/name)') };
}

/** Asks for what is mirrored, of the kinds that the scope can name by a flag. */
async function chooseScope(
  api: ApiClient,
  { id, kind }: RemoteConnection,
  prompts: Prompts,
): Promise<ChosenScope> {
  const flags = connectors.find((connector) => connector.kind === kind)?.configuration.flags ?? {};
  const path = `${connectionPath(id)}/scope-options`;
  const chosen = await chooseManyPaged(prompts, 'What to mirror', {
    plural: Object.keys(flags)
      .map((name) => `${name}s`)
      .join(' and '),
    async load(q, cursor) {
      const page = await readPage(api, { path, item: remoteScopeOption }, { cursor, ...(q && { q }) });
      return { ...page, items: page.items.filter((option) => Object.hasOwn(flags, option.kind)) };
    },
    choiceOf: (option) => ({
      value: option,
      label: option.key ? `${option.name} (${option.key})` : option.name,
      hint: option.description ?? '',
    }),
  });
  const parts = Object.entries(flags).map(([name, flag]) => {
    const values = chosen.filter((option) => option.kind === name).map((option) => option.key ?? option.id);
    return values.length === 0 ? {} : flag.scopeOf(values);
  });
  return Object.assign({}, ...parts) as ChosenScope;
}
