import { expect, it } from 'vitest';
import { stemsOf } from '../../text/split-words.ts';
import { explanationOf, referencesOf } from './explanation.ts';

it('quotes the sentences of a message that give a reason or say the question, not what repeats its subject', () => {
  const body = [
    'Keep the order of queues.',
    '',
    'Some unrelated words come here first.',
    'A set lost the order, so that cycles were unfair. Tests were added as well.',
    '',
    'Signed-off-by: Ann <ann@example.com>',
  ].join('\n');
  const wanted = new Set(stemsOf('order of the set'));
  expect(explanationOf('Keep the order of queues', body, wanted)).toEqual([
    'Some unrelated words come here first.',
    'A set lost the order, so that cycles were unfair.',
  ]);
  expect(referencesOf('Fixes #12, see GHSA-2g68-c3qc-8985 and #12.')).toEqual(['#12', 'GHSA-2g68-c3qc-8985']);
});
