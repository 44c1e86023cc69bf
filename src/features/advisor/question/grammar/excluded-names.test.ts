import { expect, it } from 'vitest';
import { excludedNames } from './excluded-names.ts';

it('finds the names that a question says not to mean', () => {
  const asked = 'Who reviews the new client address (not RealIP, and other than the `Proxy`)?';
  expect([...excludedNames(asked)]).toEqual(['realip', 'proxy']);
  expect(excludedNames('Who knows the router?').size).toBe(0);
});
