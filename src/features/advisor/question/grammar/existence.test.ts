import { expect, it } from 'vitest';
import { askedToExist } from './existence.ts';

it.each([
  ['is there a built-in rate limiting middleware somewhere in here?', ['rate', 'limiting']],
  ['does the ferry ship its own CORS middleware or do we need an extra package?', ['CORS']],
  ['Can I generate a Java record with TypeSpec here?', ['Java', 'record']],
  ['Which of the bundled middlewares do I use to check CSRF tokens on form posts?', ['CSRF', 'tokens']],
  ['Is there an option on the harbour to send pings?', []],
  ['We consider NATS. Does it have something like a graceful shutdown hook?', ['graceful', 'shutdown']],
])('reads what is asked to exist: %s', (asked, thing) => {
  expect(askedToExist(asked)).toEqual(thing);
});

it.each([
  'Does it create the folder again?',
  'Does a retry wait?',
  'How does it support proxies?',
  'Is the lease renewed?',
  'Which function creates a lease?',
])('knows another question: %s', (asked) => {
  expect(askedToExist(asked)).toBeUndefined();
});
