import { expect, it } from 'vitest';
import { fetchIncidents } from './read-incidents.ts';
import type { Session } from './session.ts';

it('all incidents are fetched that are asked for, however long each takes', async () => {
  const client = { incident: async () => undefined };
  const session = { client, isOver: () => true } as unknown as Session;
  const { removed = [] } = await fetchIncidents(session, ['A', 'B', 'C']);
  expect(removed.map(({ id }) => id)).toEqual(['A', 'B', 'C']);
});
