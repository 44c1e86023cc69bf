import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFerry } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor, openAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { ask } from '../ask.ts';

let advisor: OpenedAdvisor;

beforeAll(async () => {
  advisor = await openFerry();
});
afterAll(() => advisor.close());

it.each([
  [
    'How are parcels delivered sideways to the harbour of the ferry?',
    /^(?:This is done by|Look at|The nearest is) the .*No indexed code mentions `sideways`\.$/,
  ],
  [
    'Where do growing pauses settle small closed harbours?',
    /^No definition surely says that\. The nearest is the function /,
  ],
  [
    'Does the ferry have a closed harbour?',
    /^Code has `closed` and `harbour`: `throw new Error\('the harbour is closed'\);`, at `\S+src\/deliver\.ts:6` \[1\]\. \S/,
  ],
  ['Does the ferry have a retry harbour?', /^No line of code has `retry` and `harbour` together\. \S/],
  [
    'Does the ferry have a pause between two parcels?',
    /^Not found\. No code has `pause`, only documents, comments or tests\. Searched: /,
  ],
  [
    'Does the ferry have a deliver retry pause?',
    /^No code has `pause`, only documents, comments or tests\. \S/,
  ],
])('says what is absent: %s', async (prompt, expected) => {
  const { answer } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
  expect(answer.split('\n\n', 1)[0]).toMatch(expected);
});

it('looks for what was removed in the history', async () => {
  const opened = await openAdvisor();
  const repository = createRepository({ 'engine.py': 'def start(turbo):\n    return turbo\n' });
  repository.commit({ 'engine.py': 'def start():\n    return 1\n' }, 'Remove the leaky turbo');
  await opened.projecting.add(repository.folder);
  const prompt = 'The engine used to have a turbo. Why was it taken out, and when?';
  const { answer } = await ask(opened.deps, opened.projecting.scope, { prompt }, asking);
  expect(answer).toMatch(/^The change .*“Remove the leaky turbo”/);
  await opened.close();
});

it('names the owners of specific rules first, with each rule', async () => {
  const opened = await openAdvisor();
  const { folder } = createRepository({
    'src/engine.ts': 'export const power = 40;\n',
    'readme.md': '# Ferry\n',
    '.gitlab/CODEOWNERS': '[All]\n* @ada @bea\n[Code]\n/src/ @zoe\n[Engine]\n**/engine.ts @yan @zed\n',
  });
  await opened.projecting.add(folder);
  const answerTo = async (prompt: string): Promise<string> =>
    (await ask(opened.deps, opened.projecting.scope, { prompt }, asking)).answer;
  expect(await answerTo('Who owns src/engine.ts?')).toMatch(
    /^yan, zed, zoe and 2 more own `src\/engine\.ts` \[1\], by `CODEOWNERS \*\*\/engine\.ts` and `CODEOWNERS \/src\/`\./,
  );
  expect(await answerTo('Who owns readme.md?')).toMatch(
    /^ada and bea own `readme\.md` \[1\], by `CODEOWNERS \*`\./,
  );
  await opened.close();
});
