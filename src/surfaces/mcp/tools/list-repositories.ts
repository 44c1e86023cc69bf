import { z } from 'zod';
import type { Repository } from '../../../features/repositories/repository.ts';
import { repositoryRecord } from '../../../features/repositories/repository-record.ts';
import { listRepositories as pageOfRepositories } from '../../../features/repositories/repository-store.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { progressInWords } from '../../../foundation/kernel/text/progress.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { pageRecord } from '../../../foundation/kernel/wire/page-record.ts';
import { defineTool, fitting } from './tool.ts';

const input = z.strictObject({
  limit: z.int().min(1).max(100).default(50).describe('Repositories in the answer.'),
  cursor: z.string().optional().describe('`nextCursor` of the previous answer, for the next page.'),
});

const record = repositoryRecord.shape;

/** A repository with fewer fields than over REST, and without those that have no value yet. */
const repository = z.object({
  name: record.name,
  source: record.source,
  state: record.state,
  progress: z.string().optional(),
  indexedCommit: record.indexedCommit.unwrap().optional(),
  indexedAt: record.indexedAt.unwrap().optional(),
  branches: record.branches,
  /** Number of branches that `branches` leaves out. */
  moreBranches: z.int(),
  files: record.files,
  skipped: record.skipped,
  error: z.string().optional(),
});

const output = pageRecord(repository);

/** Maximum number of branches of one repository in the answer. */
const maxBranches = 6;

type Item = z.infer<typeof repository>;

export const listRepositories = defineTool({
  name: 'list_repositories',
  title: 'List repositories',
  description: 'Lists the repositories of the organization: name, state, and the commit that is searchable.',
  input,
  output,
  async run(request, { deps, access }) {
    const structured = await fitting(request.limit, async (limit) => {
      const page = await pageOfRepositories(deps.answers.queries, access.scope, { ...request, limit });
      return { items: page.items.map(itemOf), nextCursor: page.nextCursor };
    });
    return { structured, text: asText(structured) };
  },
});

function itemOf(one: Repository): Item {
  const { name, source, state, progress, indexedCommit, indexedAt, files, skipped, error } = one;
  return {
    name,
    source,
    state,
    ...(progress === undefined ? {} : { progress: progressInWords(progress) }),
    ...(indexedCommit === undefined ? {} : { indexedCommit }),
    ...(indexedAt === undefined ? {} : { indexedAt: isoTime(indexedAt) }),
    branches: one.indexedBranches.slice(0, maxBranches),
    moreBranches: Math.max(0, one.indexedBranches.length - maxBranches),
    files,
    skipped,
    ...(error === undefined ? {} : { error: error.message }),
  };
}

function asText(page: z.infer<typeof output>): string {
  if (page.items.length === 0) return 'No repository yet. An admin adds one with `orgctx repo add <source>`.';
  const lines = page.items.map(lineOf);
  const next = page.nextCursor === null ? [] : [`(more: call again with cursor=${page.nextCursor})`];
  return [...lines, ...next].join('\n');
}

function lineOf(item: Item): string {
  const { name, source, state, progress, indexedCommit, indexedAt, branches, files, skipped, error } = item;
  const at =
    indexedCommit === undefined
      ? 'not searchable yet'
      : `at ${indexedCommit}, indexed ${indexedAt}, ${counted(files ?? 0, 'file')}`;
  const doing = [progress, error].filter((part) => part !== undefined).map((part) => `; ${part}`);
  const heads = branches.slice(1).map((branch) => `${visibleLine(branch.name)} at ${branch.commit}`);
  const more = item.moreBranches > 0 ? ` and ${item.moreBranches} more` : '';
  const further = heads.length === 0 ? [] : [`; also branches ${heads.join(', ')}${more}`];
  const left = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  const without = left.length === 0 ? [] : [`; left out: ${left.join(', ')}`];
  return `${name} (${state}): ${[at, ...further, ...without, ...doing].join('')} — ${source}`;
}
