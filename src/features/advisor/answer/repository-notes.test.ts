import { afterAll, beforeAll, expect, it } from 'vitest';
import { asking, type OpenedAdvisor, openAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { seedRepository } from '../../../../test/support/codesearch/seeded-repositories.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { ask } from '../ask.ts';

let advisor: OpenedAdvisor;

beforeAll(async () => {
  advisor = await openAdvisor();
  const { folder } = createRepository({ 'src/engine.ts': 'export const power = 40;\n' });
  await advisor.projecting.add(folder);
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
