import { afterEach, expect, it } from 'vitest';
import { customer } from '../../../src/features/connectors/tracker/kinds/customer.ts';
import { document } from '../../../src/features/connectors/tracker/kinds/document.ts';
import { issue } from '../../../src/features/connectors/tracker/kinds/issue.ts';
import { RateLimited } from '../../../src/foundation/kernel/errors.ts';
import { type OpenedTracker, openTracker } from '../../support/tracker/opened-tracker.ts';

let opened: OpenedTracker | undefined;

afterEach(() => opened?.[Symbol.asyncDispose]());

it('limits of one field of the API hold up queries of that field alone', async () => {
  opened = await openTracker();
  const { client, tracker } = opened;
  tracker.graphql.limits.endpoints.set('customers', 2).set('documents', 0);
  for (let n = 0; n < 2; n += 1) await client.list(customer, {});
  const sent = tracker.graphql.queries.length;
  const refused: unknown = await client.list(customer, {}).catch((reason: unknown) => reason);
  expect(refused).toBeInstanceOf(RateLimited);
  expect((refused as RateLimited).retryAfter).toBeGreaterThan(60);
  expect(tracker.graphql.queries.length).toBe(sent);
  await client.list(issue, {});
  await expect(client.list(document, {})).rejects.toMatchObject({ retryAfter: 3_600 });
});
