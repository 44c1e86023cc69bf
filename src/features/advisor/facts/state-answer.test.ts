import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFerry } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
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
    'Does the ferry have a pause between two parcels?',
    /^Not found\. No definition or file is named after `pause`\. Searched: /,
  ],
  ['Does the ferry have a deliver retry pause?', /^No definition or file is named after `pause`\. \S/],
])('says what is absent: %s', async (prompt, expected) => {
  const { answer } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
  expect(answer.split('\n\n', 1)[0]).toMatch(expected);
});
