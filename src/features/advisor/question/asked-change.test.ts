import { expect, it } from 'vitest';
import { askedPast, asksForCommit, purposeOf } from './asked-change.ts';

it.each([
  ['When did it add SOCKS support?', 'first', 'first'],
  ['Which PR fixed the leak of sockets?', 'change', 'fix'],
  ['Why was the retry removed?', 'change', 'change'],
  ['It used to be 0. Which change did that?', 'change', 'change'],
  ['Since when does it trust proxies by default?', 'first', 'any'],
  ['When was the limit per IP address deprecated?', 'change', 'change'],
  ['Why does it retry?', 'reason', 'any'],
  ['Why is only one writer supported?', 'reason', 'any'],
  ['Who changed send last?', 'last', 'change'],
  ['What changed in the parser recently?', 'last', 'change'],
  ['Since a recent release the header is ignored, which change did that?', 'change', 'change'],
] as const)('reads what of the past %s asks for', (asked, past, purpose) => {
  expect(askedPast(asked)).toBe(past);
  expect(purposeOf(asked)).toBe(purpose);
});

it('tells a question for a commit from one for the state of the code', () => {
  expect(asksForCommit('Which commit dropped the cache?')).toBe(true);
  expect(asksForCommit('Why does it retry?')).toBe(false);
  expect(asksForCommit('Who changed send last?')).toBe(false);
});
