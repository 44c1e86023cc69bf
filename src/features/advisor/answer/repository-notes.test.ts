import { afterAll, beforeAll, expect, it } from 'vitest';
import { asking, type OpenedAdvisor, openAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { seedRepository } from '../../../../test/support/codesearch/seeded-repositories.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { ask } from '../ask.ts';

let advisor: OpenedAdvisor;
let name: string;
let id: RepositoryId;

beforeAll(async () => {
  advisor = await openAdvisor();
  const { folder } = createRepository({ 'src/engine.ts': 'export const power = 40;\n' });
  ({ name, id } = await advisor.projecting.add(folder));
  const { database, scope } = advisor.projecting;
  const error = { code: 'not_found', message: 'No such repository.' };
  await seedRepository(database, scope, { name: 'lost-harbour', state: 'failed', error });
  await seedRepository(database, scope, { name: 'lost-ferry', state: 'failed', error });
});
afterAll(() => advisor.close());

async function answerTo(prompt: string): Promise<string> {
  return (await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking)).answer;
}

it('counts the failed repositories, and describes those that the question names', async () => {
  const answer = await answerTo('Where is power in lost-ferry or src/engine.ts?');
  expect(answer).toContain(
    'Not searched because indexing failed: `lost-ferry` (No such repository). After the fix,',
  );
  expect(answer).not.toContain('lost-harbour');
  expect(await answerTo('Where is power?')).toContain(
    '\nNot searched because indexing failed: 2 repositories. `orgctx repo list` shows them.\n',
  );
});

it('says that the graph of a repository that the answer is about does not have its indexed commit', async () => {
  const setGraphCommit = (commit: string | null) =>
    advisor.projecting.database.queries
      .updateTable('repositories')
      .set({ graph_commit: commit })
      .where('id', '=', id)
      .execute();
  const note = `The knowledge graph of \`${name}\` is not built yet for its indexed commit, so owners, callers and changes may be missing.`;
  expect(await answerTo('Who owns src/engine.ts?')).not.toContain('graph');
  for (const commit of [null, 'c'.repeat(40)]) {
    await setGraphCommit(commit);
    expect(await answerTo('Who owns src/engine.ts?')).toContain(note);
    expect(await answerTo('Where is power?')).not.toContain('graph');
  }
});
