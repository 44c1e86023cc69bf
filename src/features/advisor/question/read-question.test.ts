import { expect, it } from 'vitest';
import { readQuestion } from './read-question.ts';

it.each([
  ['Who owns src/retry.ts?', 'people'],
  ['who should I ask about webhooks', 'people'],
  ['Who last changed src/retry.ts?', 'people'],
  ['Who last changed src/retry.ts, and why?', 'change'],
  ['When was the timeout introduced?', 'change'],
  ['Why was the retry removed?', 'change'],
  ['Why is renewLease gone?', 'change'],
  ['Which commit fixed the open redirect?', 'change'],
  ['Which options of Client were removed?', 'change'],
  ['`proxies` argument removed', 'change'],
  ['Where are the options removed that nobody set?', 'code'],
  ['What would a change of src/lease.ts touch?', 'impact'],
  ['What breaks if I rename renewLease?', 'impact'],
  ['diff --git a/x.ts b/x.ts\n--- a/x.ts\n', 'impact'],
  ['What calls renewLease?', 'uses'],
  ['Where is FERRY_PORT used?', 'uses'],
  ['Do we have rate limiting?', 'exists'],
  ['Is there a retry for uploads?', 'exists'],
  ['Why does the worker retry forever?', 'code'],
  ['Where is a request matched to a route?', 'code'],
  ['How are webhooks verified?', 'code'],
  ['TypeError: x is not a function', 'code'],
  ['What changes a follower into a candidate?', 'code'],
  ['Where is the history of redirects kept?', 'code'],
  ['Why has a pooled connection been closed?', 'code'],
  ['When was a response decoded?', 'code'],
  ['What is the reason for a 413?', 'code'],
  ['Why are cookies missing after a redirect?', 'code'],
  ['What happens if a follower was removed?', 'code'],
  ['What would affect the order of processors?', 'code'],
  ['Who is responsible for handling billing?', 'people'],
  ['Why was a lock added to the scheduler?', 'change'],
  ['When did a retry get removed?', 'change'],
  ['In which commit the bug was introduced?', 'change'],
  ['Where can I read the history of Lease.renew?', 'change'],
  ['Where is renew in use?', 'uses'],
  ['It limits connections. What does it use for that?', 'code'],
])('%s asks for %s', (prompt, kind) => {
  expect(readQuestion(prompt).kind).toBe(kind);
});

it.each([
  ['Which of our services retry uploads?', true],
  ['Do any of the repositories use Kafka?', true],
  ['Where does the service retry?', false],
  ['Compare the way our two HTTP clients retry.', true],
  ['Which of our web frameworks make up request ids?', true],
])('%s asks about every repository: %s', (prompt, asksEvery) => {
  expect(readQuestion(prompt).asksEvery).toBe(asksEvery);
});

it('reads the words before a pasted diff as the question', () => {
  const prompt = 'Who owns this?\ndiff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n';
  expect(readQuestion(prompt)).toMatchObject({ head: 'Who owns this?\n', kind: 'people' });
});
