import { expect, it } from 'vitest';
import { newId, type OrganizationId, type UserId } from '../../foundation/kernel/ids.ts';
import { openQuestionLimit } from './question-limit.ts';

const { signal } = new AbortController();

/** Asks four questions each of `users` users of an organization, which end when `held` does. */
function askMany(questions: ReturnType<typeof openQuestionLimit>, users: number, held: Promise<void>) {
  const organizationId = newId<OrganizationId>();
  const started: UserId[] = [];
  const userIds = Array.from({ length: users }, () => newId<UserId>());
  const asked = userIds
    .flatMap((userId) => [userId, userId, userId, userId])
    .map((userId) =>
      questions(
        { organizationId, userId },
        async () => {
          started.push(userId);
          await held;
        },
        signal,
      ),
    );
  return { started, asked };
}

it('answers at most 12 questions of an organization at once, however many users ask', async () => {
  const questions = openQuestionLimit();
  const held = Promise.withResolvers<void>();
  const busy = askMany(questions, 12, held.promise);
  expect(busy.started).toHaveLength(12);
  const other = askMany(questions, 1, Promise.resolve());
  expect(other.started).toHaveLength(4);
  await Promise.all(other.asked);
  held.resolve();
  await Promise.all(busy.asked);
  expect(busy.started).toHaveLength(48);
});

it('answers at most 32 questions of all organizations at once', async () => {
  const questions = openQuestionLimit();
  const held = Promise.withResolvers<void>();
  const all = Array.from({ length: 4 }, () => askMany(questions, 3, held.promise));
  expect(all.flatMap(({ started }) => started)).toHaveLength(32);
  held.resolve();
  await Promise.all(all.flatMap(({ asked }) => asked));
});

it('does not count a cancelled question as pending, but keeps its place until its work ends', async () => {
  const questions = openQuestionLimit();
  const asker = { organizationId: newId<OrganizationId>(), userId: newId<UserId>() };
  const held = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const cancelled = Promise.allSettled(
    Array.from({ length: 16 }, () => questions(asker, () => held.promise, cancel.signal)),
  );
  expect(() => questions(asker, () => held.promise, signal)).toThrow('You have 16 questions');
  cancel.abort(new Error('cancelled'));
  const started: number[] = [];
  const next = Array.from({ length: 16 }, (_, n) =>
    questions(asker, async () => void started.push(n), signal),
  );
  expect(() => questions(asker, () => held.promise, signal)).toThrow('You have 16 questions');
  expect(started).toEqual([]);
  held.resolve();
  const ends = await cancelled;
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  await Promise.all(next);
  expect(started).toHaveLength(16);
});
