import { describe, expect, it } from 'vitest';
import { hashPassword } from './password.ts';
import { openPasswordHashing } from './password-hashing.ts';

const password = 'correct horse battery';
const overloaded = expect.objectContaining({
  status: 503,
  code: 'overloaded',
  retryAfter: expect.any(Number),
});

describe('the queue of password hashing', () => {
  const refusals = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
    outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);

  it('holds eight tasks of one sender, counted per IPv6 /48, and still accepts other senders', async () => {
    const hashing = openPasswordHashing();
    const known = hashPassword(password);
    const flood = Array.from({ length: 90 }, (_, network) =>
      hashing.verify('wrong', known, `2001:db8:a:${network.toString(16)}::1`),
    );
    const person = hashing.verify(password, known, '2001:db8:b::1');
    const refused = refusals(await Promise.allSettled(flood));
    expect(refused).toEqual(Array.from({ length: 82 }, () => overloaded));
    expect(await person).toBe(true);
  });

  it('accepts more tasks of a sender when earlier ones are done', async () => {
    const hashing = openPasswordHashing();
    const verify = () => hashing.verify('wrong', undefined, '192.0.2.1');
    const round = async () => refusals(await Promise.allSettled(Array.from({ length: 9 }, verify))).length;
    expect(await round()).toBe(1);
    expect(await round()).toBe(1);
  });

  it('holds sixty-four tasks in total', async () => {
    const hashing = openPasswordHashing();
    const senders = Array.from({ length: 70 }, (_, sender) =>
      hashing.verify('x', undefined, `192.0.2.${sender}`),
    );
    await expect(hashing.hash(password)).rejects.toEqual(overloaded);
    expect(refusals(await Promise.allSettled(senders))).toHaveLength(5);
  });
});
