import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../../test/support/database/databases.ts';
import { emptyKnowledge } from '../../../test/support/graph/opened-graph.ts';
import { openTestAnswers } from '../../../test/support/http/http-server.ts';
import { type ConversationId, newId, type UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { AdvisorDeps } from '../advisor/advisor-deps.ts';
import { admitUser } from '../identity/people/admit-user.ts';
import { removeMembership } from '../identity/people/membership-store.ts';
import { askInConversation, askInNewConversation, type ConversationsDeps } from './ask-in-conversation.ts';
import { conversationLimits } from './conversation.ts';
import { listConversations } from './conversation-store.ts';
import { lastExchanges } from './message-store.ts';
import { createConversation, getConversation, getMessages, removeConversation } from './own-conversations.ts';
import { purgeConversations } from './purge-conversations.ts';

const day = 24 * 3_600_000;
const { signal } = new AbortController();
const missing = { code: 'not_found' };
const refused = { code: 'conflict' };

describeEachDatabase('conversations', (open) => {
  let database: TestDatabase;
  let now: number;
  let deps: ConversationsDeps;
  let scope: OrgScope;
  let ann: UserId;
  let bob: UserId;

  const admit = async (name: string, orgSlug: string) => {
    const person = { email: `${name}@example.com`, orgSlug, role: 'owner' } as const;
    const { user, organization } = await admitUser({ database, clock: () => now }, person);
    return { userId: user.id, scope: { organizationId: organization.id, orgSlug } };
  };

  beforeEach(async () => {
    database = await open();
    now = Date.parse('2026-11-21T12:00:00Z');
    ({ userId: ann, scope } = await admit('ann', 'acme'));
    ({ userId: bob } = await admit('bob', 'acme'));
    const advisor = { ...openTestAnswers(database, 'https://ctx.example'), knowledge: emptyKnowledge };
    deps = { database, clock: () => now, advisor };
  });

  const create = (userId = ann, title?: string) => createConversation(deps, scope, userId, { title });
  const ask = (id: ConversationId, content: string, advisor: Partial<AdvisorDeps> = {}, stop = signal) => {
    const asked = { ...deps, advisor: { ...deps.advisor, ...advisor } };
    return askInConversation(asked, scope, { id, content }, { userId: ann, signal: stop });
  };
  const contents = async (id: ConversationId) =>
    (await getMessages(deps, scope, ann, id)).items.map(({ role, content }) => [role, content]);

  it('keeps questions and answers in order, and takes its title from the first question', async () => {
    const { id } = await create();
    const first = await ask(id, 'Where is\u0000 the lease?');
    const second = await ask(id, 'and who calls it?');
    expect(await contents(id)).toEqual([
      ['user', 'Where is the lease?'],
      ['assistant', first.answer.answer],
      ['user', 'and who calls it?'],
      ['assistant', second.answer.answer],
    ]);
    expect(await getConversation(deps, scope, ann, id)).toMatchObject({
      title: 'Where is the lease?',
      messages: 4,
    });
    const page = await getMessages(deps, scope, ann, id, { limit: 3 });
    const rest = await getMessages(deps, scope, ann, id, { cursor: page.nextCursor ?? '' });
    expect([page.items.length, rest.items.length, rest.nextCursor]).toEqual([3, 1, null]);
    expect(await lastExchanges(database.queries, scope, ann, id, 1)).toEqual([
      { question: 'and who calls it?', citations: [] },
    ]);
  });

  it('stores a new conversation only with its first answer', async () => {
    const options = { userId: ann, signal };
    const { conversationId } = await askInNewConversation(deps, scope, 'Where is the lease?', options);
    expect(await contents(conversationId)).toHaveLength(2);
    const failing = {
      ...deps,
      advisor: { ...deps.advisor, questions: () => Promise.reject(new Error('no')) },
    };
    await expect(askInNewConversation(failing, scope, 'Why?', options)).rejects.toThrow('no');
    expect((await listConversations(database.queries, scope, ann)).items).toHaveLength(1);
  });

  it('stores nothing of a question that failed or was cancelled, and can be asked again', async () => {
    const { id } = await create(ann, 'Leases');
    await expect(ask(id, 'Why?', { questions: () => Promise.reject(new Error('no')) })).rejects.toThrow('no');
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(ask(id, 'Why?', {}, gone)).rejects.toThrow('gone');
    expect(await contents(id)).toEqual([]);
    await ask(id, 'Why?');
    expect(await getConversation(deps, scope, ann, id)).toMatchObject({ title: 'Leases', messages: 2 });
  });

  it('answers one question at a time, and forgets one whose process ended', async () => {
    const { id } = await create();
    const started = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const questions: AdvisorDeps['questions'] = async (_owner, task) => {
      started.resolve();
      await held.promise;
      return await task();
    };
    const first = ask(id, 'Where is the lease?', { questions });
    await started.promise;
    await expect(ask(id, 'Why?')).rejects.toMatchObject(refused);
    now += 120_000;
    const second = await ask(id, 'How?');
    held.resolve();
    await expect(first).rejects.toMatchObject(missing);
    expect(await contents(id)).toEqual([
      ['user', 'How?'],
      ['assistant', second.answer.answer],
    ]);
  });

  it('refuses a question that would exceed the maximum number of messages', async () => {
    const { id } = await create();
    await database.queries
      .updateTable('conversations')
      .set({ messages: conversationLimits.messages })
      .execute();
    await expect(ask(id, 'Why?')).rejects.toMatchObject(refused);
  });

  it('replaces the conversation that the user used least recently, and nobody else’s', async () => {
    const ofBob = await create(bob);
    const ids: ConversationId[] = [];
    for (let n = 0; n < conversationLimits.ofUser; n++) {
      now += 1000;
      ids.push((await create()).id);
    }
    now += 1000;
    await ask(ids[0] ?? newId(), 'Why?');
    now += 1000;
    const { id: latest } = await create();
    const { items } = await listConversations(database.queries, scope, ann, { limit: 200 });
    expect(items.map(({ id }) => id)).toEqual([latest, ...ids.toSpliced(1, 1).toReversed()]);
    expect((await listConversations(database.queries, scope, bob)).items).toEqual([ofBob]);
  });

  it('lists the newest first in pages', async () => {
    const ids: ConversationId[] = [];
    for (let n = 0; n < 3; n++) {
      now += 1000;
      ids.push((await create()).id);
    }
    const first = await listConversations(database.queries, scope, ann, { limit: 2 });
    const rest = await listConversations(database.queries, scope, ann, { cursor: first.nextCursor ?? '' });
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids.toReversed());
  });

  it('is for its user in its organization only', async () => {
    const { id } = await create();
    await ask(id, 'Why?');
    const other = await admit('ann', 'other');
    const places = [
      [scope, bob],
      [other.scope, ann],
    ] as const;
    for (const [where, who] of places) {
      await expect(getConversation(deps, where, who, id)).rejects.toMatchObject(missing);
      await expect(getMessages(deps, where, who, id)).rejects.toMatchObject(missing);
      await expect(removeConversation(deps, where, who, id)).rejects.toMatchObject(missing);
      const options = { userId: who, signal };
      await expect(askInConversation(deps, where, { id, content: 'x' }, options)).rejects.toMatchObject(
        missing,
      );
      expect((await listConversations(database.queries, where, who)).items).toEqual([]);
      expect(await lastExchanges(database.queries, where, who, id, 5)).toEqual([]);
    }
    expect(await contents(id)).toHaveLength(2);
    await removeConversation(deps, scope, ann, id);
    expect(await database.queries.selectFrom('messages').selectAll().execute()).toEqual([]);
  });

  it('ends with the membership of its user', async () => {
    const { id } = await create();
    await ask(id, 'Why?');
    const { organizationId } = scope;
    await database.transaction((tx) => removeMembership(tx, { organizationId, userId: ann }));
    expect(await database.queries.selectFrom('conversations').selectAll().execute()).toEqual([]);
    expect(await database.queries.selectFrom('messages').selectAll().execute()).toEqual([]);
  });

  it('is purged when its last question is older than the retention', async () => {
    const { id: old } = await create();
    now += day;
    const { id: kept } = await create();
    now += 89 * day;
    await purgeConversations({ ...deps, conversationRetentionMs: 0 }, signal);
    expect((await listConversations(database.queries, scope, ann)).items).toHaveLength(2);
    await purgeConversations({ ...deps, conversationRetentionMs: 90 * day }, signal);
    expect((await listConversations(database.queries, scope, ann)).items.map(({ id }) => id)).toEqual([kept]);
    await expect(getConversation(deps, scope, ann, old)).rejects.toMatchObject(missing);
  });
});
