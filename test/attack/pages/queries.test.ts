import { beforeAll, expect, it } from 'vitest';
import { createSession } from '../../../src/features/identity/sign-in/session-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { appPages } from '../../../src/surfaces/pages/app/page-list.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import {
  openTwoOrganizations,
  type TwoOrganizations,
} from '../../support/identity/open-two-organizations.ts';
import { nameOfPage, pagePath, pageRows } from '../../support/identity/page-matrix.ts';

/** The parameters that pages of an organization read from their address. */
const parameters = [
  'cursor',
  'deliveries',
  'q',
  'kind',
  'name',
  'state',
  'githost',
  'path',
  'commit',
  'lines',
  'from',
];

const values = ['a%00b', '%ED%A0%80', '%E2%80%AE%3Cscript%3E', 'a'.repeat(4_000), '-1'];

describeEachDatabase('hostile queries of the pages of an organization', (openDatabase) => {
  let world: TwoOrganizations;
  let session: string;

  beforeAll(async () => {
    world = await openTwoOrganizations(await openDatabase());
    const { owner: userId } = world.own;
    session = (await createSession(world.database.queries, { userId }, systemClock)).token;
    return () => world.close();
  });

  it.each(appPages.filter(({ method }) => method === 'GET').map((page) => [nameOfPage(page), page] as const))(
    '%s answers without an error of the service, and repeats no markup',
    async (name, page) => {
      const { names = 'repository', query = '' } = pageRows[name] ?? {};
      const path = pagePath(page, world.own.slug, world.own.names[names]);
      for (const parameter of parameters) {
        const others = query.startsWith(`${parameter}=`) ? '' : query;
        for (const value of values) {
          const url = `${path}?${others}&${parameter}=${value}`;
          const answer = await world.server.inject({ url, headers: { cookie: `orgctx_session=${session}` } });
          expect([url, answer.statusCode]).toEqual([url, expect.toBeOneOf([200, 303, 400, 404, 409])]);
          expect(answer.body).not.toContain('<script>');
        }
      }
    },
  );
});
