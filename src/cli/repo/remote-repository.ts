import type { z } from 'zod';
import { closestRepository } from '../../features/repositories/repository-name.ts';
import { repositoryRecord } from '../../features/repositories/repository-record.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { shortCommit } from '../../foundation/kernel/text/short-commit.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { Channel, Style } from '../frame/channel.ts';
import { inWords, type LabelledLine, minuteOf } from '../frame/in-words.ts';
import { ageOfTime, untilTime } from '../frame/lists/age.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { findEntry, type RemoteList } from '../remote/remote-page.ts';
import { tolerant } from '../remote/tolerant.ts';

/** The fields that the command line reads. */
const readFields = repositoryRecord
  .pick({
    id: true,
    name: true,
    source: true,
    branch: true,
    state: true,
    progress: true,
    indexedCommit: true,
    indexedAt: true,
    graphCommit: true,
    branches: true,
    files: true,
    filesWithoutDefinitions: true,
    skipped: true,
    graphLeftOut: true,
    error: true,
    checkedAt: true,
    nextCheckAt: true,
  })
  .partial({ graphCommit: true, branches: true, files: true, skipped: true, graphLeftOut: true });

export const remoteRepository = tolerant(readFields);

export type RemoteRepository = z.output<typeof remoteRepository>;

export const repositoryList: RemoteList<RemoteRepository> = {
  path: '/repositories',
  item: remoteRepository,
  plural: 'repositories',
  idOf: ({ id }) => id,
  labelOf: ({ name }) => name,
  // Names are unique, so that ids are not shown.
  columns: () => [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'SOURCE', cell: ({ source }) => source, shrinks: 2 },
    { title: 'STATE', cell: stateInWords, style: styleOf },
    { title: 'FILES', cell: ({ indexedCommit, files }) => (indexedCommit ? String(files ?? 0) : '-') },
    { title: 'INDEXED', cell: ({ indexedAt }) => ageOfTime(indexedAt, 'not yet') },
    { title: 'ERROR', cell: ({ error }) => error?.message ?? '', style: () => 'red', shrinks: 1 },
  ],
  none: 'No repositories yet. Add one: "orgctx repo add <source>".',
};

export function repositoryPath(id: string): string {
  return `/repositories/${encodeURIComponent(id)}`;
}

/**
 * Returns the repository with this name, id or start of an id.
 * @throws NotFound
 */
export async function findRepository(api: ApiClient, nameOrId: string): Promise<RemoteRepository> {
  const names: string[] = [];
  const found = await findEntry(api, repositoryList, nameOrId, ({ name }) => {
    names.push(name);
    return name === nameOrId;
  });
  if (found !== undefined) return found;
  const nearest = closestRepository(nameOrId, names);
  const suggestion = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  throw new NotFound(
    `There is no repository "${nameOrId}" in ${api.target.org}.${suggestion} Run "orgctx repo list" to see its repositories.`,
  );
}

const styles: Readonly<Record<string, Style>> = { indexed: 'green', failed: 'red', removing: 'dim' };

function styleOf({ state }: RemoteRepository): Style {
  return styles[state] ?? 'yellow';
}

function stateInWords({ state, progress }: RemoteRepository): string {
  if (!progress) return state;
  const count = progress.total > 0 ? ` ${progress.done}/${progress.total}` : '';
  return `${state} (${progress.phase}${count})`;
}

/** Returns the searchable branches other than the default branch. */
function branchesInWords({ branches }: RemoteRepository): string | undefined {
  const further = branches?.slice(1) ?? [];
  const words = further.map(({ name, commit }) => `${visibleLine(name)} ${shortCommit(visibleLine(commit))}`);
  return words.length === 0 ? undefined : words.join(', ');
}

/** Returns numbers by reason: `binary 12, too large 3`. */
function countsInWords(counts: Readonly<Record<string, number>> = {}): string | undefined {
  const words = Object.entries(counts).map(
    ([reason, count]) => `${visibleLine(reason.replaceAll('_', ' '))} ${count}`,
  );
  return words.length === 0 ? undefined : words.join(', ');
}

/** Says how many files wait for their definitions. */
function definitionsInWords({ filesWithoutDefinitions = 0 }: RemoteRepository): string | undefined {
  if (filesWithoutDefinitions === 0) return undefined;
  return `being read, ${counted(filesWithoutDefinitions, 'file')} left; sym: does not find them yet`;
}

/** Returns the files that the graph left out, with some of their paths: `too slow 2 (such as a.js, b.js)`. */
function leftOutInWords({ graphLeftOut }: RemoteRepository): string | undefined {
  const counts = countsInWords(graphLeftOut?.counts);
  const paths = graphLeftOut?.examples.slice(0, 3).map(({ path }) => visibleLine(path)) ?? [];
  return counts && (paths.length === 0 ? counts : `${counts} (such as ${paths.join(', ')})`);
}

/** Says that the graph does not have the indexed commit yet. After an error nothing may be building it. */
function graphInWords({ indexedCommit, graphCommit, error }: RemoteRepository): string | undefined {
  const isBehind = indexedCommit !== null && graphCommit !== undefined && graphCommit !== indexedCommit;
  if (!isBehind) return undefined;
  return error ? 'not up to date' : 'being built';
}

/** Returns when its source was and will be compared with the index: `3 min ago, next in 12 min`. */
function checksInWords({ checkedAt, nextCheckAt }: RemoteRepository): string {
  const next = nextCheckAt ? `, next ${untilTime(nextCheckAt)}` : '';
  return `${ageOfTime(checkedAt, 'not yet')}${next}`;
}

/** Describes one repository as text, one line per field. */
export function repositoryInWords(repository: RemoteRepository, channel: Channel): string {
  const { name, id, source, branch, indexedCommit, indexedAt, files, error, checkedAt } = repository;
  const rows: readonly LabelledLine[] = [
    ['id', visibleLine(id)],
    ['source', visibleLine(source)],
    ['branch', branch ? visibleLine(branch) : undefined],
    ['state', channel.style(styleOf(repository), visibleLine(stateInWords(repository)))],
    [
      'indexed',
      indexedCommit
        ? visibleLine(
            `${shortCommit(indexedCommit)} at ${minuteOf(indexedAt ?? '?')}, ${counted(files ?? 0, 'file')}`,
          )
        : undefined,
    ],
    ['branches', branchesInWords(repository)],
    ['skipped', countsInWords(repository.skipped)],
    ['definitions', definitionsInWords(repository)],
    ['graph', graphInWords(repository)],
    ['not in graph', leftOutInWords(repository)],
    ['checked', checkedAt ? visibleLine(checksInWords(repository)) : undefined],
    ['error', error ? channel.style('red', visibleLine(error.message)) : undefined],
  ];
  return inWords(visibleLine(name), rows, channel);
}
