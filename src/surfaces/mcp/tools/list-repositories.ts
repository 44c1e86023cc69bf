import { z } from 'zod';
import type { Repository } from '../../../features/repositories/repository.ts';
import { listRepositories as pageOfRepositories } from '../../../features/repositories/repository-store.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { progressInWords } from '../../../foundation/kernel/text/progress.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { cursorLine } from './page-notes.ts';
import { defineTool, fitting } from './tool.ts';

const usual = 50;

const input = z.object({
  limit: z.int().min(1).max(100).default(usual),
  cursor: z.string().optional(),
});

/** Maximum number of branches of one repository in the answer. */
const maxBranches = 6;

export const listRepositories = defineTool({
  name: 'list_repositories',
  description:
    'Lists the repositories of the organization with their state and the commit that is searchable.',
  input,
  async run(request, { deps, access }) {
    return fitting({ limit: request.limit, isLarge: request.limit > usual }, async (limit) => {
      const page = await pageOfRepositories(deps.answers.queries, access.scope, { ...given(request), limit });
      if (page.items.length === 0)
        return 'No repository yet. An admin adds one with `orgctx repo add <source>`.';
      return [...page.items.map(lineOf), ...cursorLine(page)].join('\n');
    });
  },
});

function lineOf(repository: Repository): string {
  const { name, source, state, progress, indexedCommit, indexedAt, files, skipped, error } = repository;
  const at =
    indexedCommit === undefined || indexedAt === undefined
      ? 'not searchable yet'
      : `at ${shortCommit(indexedCommit)}, indexed ${isoTime(indexedAt)}, ${counted(files ?? 0, 'file')}`;
  const branches = repository.indexedBranches;
  const heads = branches.slice(1).map((each) => `${each.name} at ${shortCommit(each.commit)}`);
  const left = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  const parts = [
    at,
    ...(heads.length === 0 ? [] : [`also branches ${listed(heads, maxBranches - 1)}`]),
    ...(left.length === 0 ? [] : [`left out: ${left.join(', ')}`]),
    ...(progress === undefined ? [] : [progressInWords(progress)]),
    ...(error === undefined ? [] : [error.message]),
  ];
  return visibleLine(`${name} (${state}): ${parts.join('; ')} (${source})`);
}
