import { z } from 'zod';
import type { Repository } from '../../../features/repositories/repository.ts';
import { listRepositories as pageOfRepositories } from '../../../features/repositories/repository-store.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { progressInWords } from '../../../foundation/kernel/progress.ts';
import { visibleLine } from '../../../foundation/kernel/visible-text.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  limit: z.int().min(1).max(100).default(50).describe('Repositories in the answer.'),
  cursor: z.string().optional().describe('`nextCursor` of the former answer, for the next page.'),
});

const repository = z.object({
  name: z.string(),
  source: z.string(),
  state: z.string(),
  progress: z.string().optional(),
  indexedCommit: z.string().optional(),
  indexedAt: z.string().optional(),
  /** Those searchable with `branch:`, the default one first. */
  branches: z.array(z.object({ name: z.string(), commit: z.string() })),
  /** Branches beyond those shown. */
  moreBranches: z.number(),
  files: z.number(),
  /** Files left out, and branches that are not followed, counted by reason. */
  skipped: z.record(z.string(), z.number()),
  error: z.string().optional(),
});

const output = z.object({ items: z.array(repository), nextCursor: z.string().nullable() });

/** Of one repository in the answer, which has to stay short. */
const mostBranches = 6;

type Item = z.infer<typeof repository>;

export const listRepositories = defineTool({
  name: 'list_repositories',
  title: 'List repositories',
  description:
    'Lists the repositories of the organization: name, state, and the commit at which each one is searchable.',
  input,
  output,
  async run(request, { deps, access }) {
    const page = await pageOfRepositories(deps.answers.queries, access.scope, request);
    const structured = { items: page.items.map(itemOf), nextCursor: page.nextCursor };
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
    branches: one.indexedBranches.slice(0, mostBranches),
    moreBranches: Math.max(0, one.indexedBranches.length - mostBranches),
    files,
    skipped,
    ...(error === undefined ? {} : { error: error.message }),
  };
}

function asText(page: z.infer<typeof output>): string {
  if (page.items.length === 0) return 'No repository yet. An admin adds one with: orgctx repo add <source>';
  const lines = page.items.map(lineOf);
  const next = page.nextCursor === null ? [] : [`(more: call again with cursor=${page.nextCursor})`];
  return [...lines, ...next].join('\n');
}

function lineOf(item: Item): string {
  const { name, source, state, progress, indexedCommit, indexedAt, branches, files, skipped, error } = item;
  const at =
    indexedCommit === undefined
      ? 'not searchable yet'
      : `at ${indexedCommit}, indexed ${indexedAt}, ${files} files`;
  const doing = [progress, error].filter((part) => part !== undefined).map((part) => `; ${part}`);
  const heads = branches.slice(1).map((branch) => `${visibleLine(branch.name)} at ${branch.commit}`);
  const more = item.moreBranches > 0 ? ` and ${item.moreBranches} more` : '';
  const further = heads.length === 0 ? [] : [`; also branches ${heads.join(', ')}${more}`];
  const left = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  const without = left.length === 0 ? [] : [`; left out: ${left.join(', ')}`];
  return `${name} (${state}): ${[at, ...further, ...without, ...doing].join('')} — ${source}`;
}
