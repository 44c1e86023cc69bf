import { join } from 'node:path';
import { expect, it } from 'vitest';
import { indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { fieldScores } from './field-scores.ts';
import { rankTerms } from './rank-terms.ts';

it('a renamed file is scored by the words of its new path, as if it had been indexed there', async () => {
  const root = temporaryFolder();
  const index = openTestIndex({ root, log: silentLog });
  const repository = createRepository({
    'src/lease/table.ts': 'x\n',
    'src/zebra/crossing.ts': 'same\n',
    'src/queue.ts': 'y\n',
  });
  const apply = async (id: string): Promise<void> => {
    const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
    const to = repository.git('rev-parse', 'HEAD');
    const gitDir = join(repository.folder, '.git');
    await index.apply(indexRequest({ scope, repository: id, gitDir, to }), new AbortController().signal);
  };
  await apply('moved');
  repository.git('mv', 'src/zebra/crossing.ts', 'src/lease/walker.ts');
  repository.commit({});
  await apply('moved');
  await apply('new');

  const indexes = new OpenIndexes(root);
  const { segments } = indexes.inRange({ organizationId: 'org' });
  const request = {
    terms: ['lease', 'walker', 'zebra'],
    identifiers: [],
    paths: [],
    question: '',
    limit: 10,
    waitMs: 30_000,
  };
  const terms = rankTerms(request, segments);
  const byPath = segments.map((live) => {
    const { scores, pathTerms } = fieldScores(live, terms, 1);
    return Object.fromEntries(
      Array.from(scores.path, (score, document) => [live.path(document), [score, pathTerms[document]]]),
    );
  });
  expect(segments.map(({ renamed }) => renamed.size)).toEqual([1, 0]);
  expect(byPath[0]).toEqual(byPath[1]);
  expect(byPath[0]?.['src/lease/walker.ts']?.[0]).toBeGreaterThan(0);
  indexes.close();
});
