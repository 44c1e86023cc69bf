import { expect, it } from 'vitest';
import type { RepositoryId } from '../../../../../foundation/kernel/ids.ts';
import { changeOf } from '../past.ts';
import { authorsOf } from './authors.ts';

it('counts two names with one address, or two addresses with one name, as one person', () => {
  const of = (time: number, name: string, email: string) =>
    changeOf({ id: `${time}`, time, author: { name, email }, message: 'Change' }, 'r' as RepositoryId);
  const people = authorsOf([
    of(5, 'Kim', 'kim@corp.test'),
    of(4, 'Tom', 'kim@corp.test'),
    of(3, 'Tom', 'tom@home.test'),
    of(2, 'Bob', 'noreply@host.test'),
    of(1, 'Eve', 'noreply@host.test'),
  ]);
  expect(people.map(({ name, changes }) => [name, changes.length])).toEqual([
    ['Kim', 3],
    ['Bob', 1],
    ['Eve', 1],
  ]);
});
