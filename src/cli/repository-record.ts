import { z } from 'zod';
import { NotFound } from '../foundation/kernel/errors.ts';
import { shortCommit } from '../foundation/kernel/short-commit.ts';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import type { ApiClient } from './api-client.ts';
import type { Channel, Style } from './frame/channel.ts';

/** A repository as REST shows it (contract section 3). What this program does not know is passed on in `--json`. */
export const repositoryRecord = z.looseObject({
  id: z.string(),
  name: z.string(),
  source: z.string(),
  branch: z.string().nullish(),
  state: z.string(),
  progress: z.object({ phase: z.string(), done: z.number(), total: z.number() }).nullish(),
  indexedCommit: z.string().nullish(),
  indexedAt: z.string().nullish(),
  branches: z.array(z.object({ name: z.string(), commit: z.string() })).nullish(),
  files: z.number().nullish(),
  skipped: z.record(z.string(), z.number()).nullish(),
  error: z.object({ code: z.string(), message: z.string() }).nullish(),
});

export type RepositoryRecord = z.output<typeof repositoryRecord>;

export const repositoryPage = z.object({
  items: z.array(repositoryRecord),
  nextCursor: z.string().nullish(),
});

/** Every page of the list, in the service's order. */
async function* eachRepository(api: ApiClient): AsyncGenerator<RepositoryRecord> {
  let cursor: string | undefined;
  do {
    const query = { limit: 200, cursor };
    const page = await api.call({ path: '/repositories', query }, repositoryPage);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

export function repositoryPath(id: string): string {
  return `/repositories/${encodeURIComponent(id)}`;
}

/** By name or id, as a person would call it. @throws NotFound */
export async function findRepository(api: ApiClient, nameOrId: string): Promise<RepositoryRecord> {
  for await (const repository of eachRepository(api)) {
    if (repository.name === nameOrId || repository.id === nameOrId) return repository;
  }
  throw new NotFound(`There is no repository "${nameOrId}" in ${api.target.org}. See: orgctx repo list`);
}

const styles: Readonly<Record<string, Style>> = { indexed: 'green', failed: 'red', removing: 'dim' };

export function stateInWords({ state, progress }: RepositoryRecord, channel: Channel): string {
  const word = channel.style(styles[state] ?? 'yellow', visibleLine(state));
  if (!progress) return word;
  const count = progress.total > 0 ? ` ${progress.done}/${progress.total}` : '';
  return `${word} (${visibleLine(progress.phase)}${count})`;
}

/** Those that are searchable beside the default branch. */
function branchesInWords({ branches }: RepositoryRecord): string | undefined {
  const further = branches?.slice(1) ?? [];
  const words = further.map(({ name, commit }) => `${visibleLine(name)} ${shortCommit(visibleLine(commit))}`);
  return words.length === 0 ? undefined : words.join(', ');
}

/** `binary 12, too large 3`: why files, and branches that were asked for, cannot be searched. */
function skippedInWords({ skipped }: RepositoryRecord): string | undefined {
  const words = Object.entries(skipped ?? {}).map(
    ([reason, count]) => `${visibleLine(reason.replaceAll('_', ' '))} ${count}`,
  );
  return words.length === 0 ? undefined : words.join(', ');
}

/** Everything a person wants to know of one repository, a line each. */
export function repositoryInWords(repository: RepositoryRecord, channel: Channel): string {
  const { name, id, source, branch, indexedCommit, indexedAt, files, error } = repository;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['id', visibleLine(id)],
    ['source', visibleLine(source)],
    ['branch', branch ? visibleLine(branch) : undefined],
    ['state', stateInWords(repository, channel)],
    [
      'indexed',
      indexedCommit
        ? visibleLine(`${shortCommit(indexedCommit)} at ${indexedAt ?? '?'}, ${files ?? 0} files`)
        : undefined,
    ],
    ['branches', branchesInWords(repository)],
    ['skipped', skippedInWords(repository)],
    ['error', error ? channel.style('red', visibleLine(error.message)) : undefined],
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === undefined ? [] : [`  ${label.padEnd(8)} ${value}`],
  );
  return [channel.style('bold', visibleLine(name)), ...lines].join('\n');
}
