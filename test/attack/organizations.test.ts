import type { InjectOptions } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeRoutes } from '../../src/surfaces/http/route-table.ts';
import { tools } from '../../src/surfaces/mcp/tools/all.ts';
import { describeEachDatabase } from '../support/database/databases.ts';
import {
  type Joined,
  openTwoOrganizations,
  type Strangers,
  type TwoOrganizations,
} from '../support/identity/open-two-organizations.ts';
import {
  apiPrefix,
  everyRow,
  leaksOf,
  nameOf,
  observable,
  restRequest,
  routeCalls,
  rowsOf,
  toolCalls,
  toolRequest,
  unknownLike,
} from '../support/identity/organization-matrix.ts';
import { type NamedResource, secretOf } from '../support/identity/two-organizations.ts';

const strangers = [
  'an API key of a member of another organization',
  'an API key of a removed member',
  'an API key of a disabled user',
  'an API key of a member of both, bound to the other one',
  'an access token of a member of another organization',
  'an access token of a member of both, bound to the other one',
  'an access token of a removed member',
  'an access token of a disabled user',
  'an access token of an unbound grant',
  'no credential',
] as const;

const nowhere = 'nowhere';
/** Not a valid id in any database, and in some not even valid text. */
const malformed = 'x\u0000';
/** An error of the checks before an organization is entered: credential, scope, organization. */
const refused = expect.stringMatching(/^\[40[13],/);

describeEachDatabase('the boundary of an organization', (open) => {
  describe('protects every route and tool', () => {
    let world: TwoOrganizations;
    let credentials: Strangers;
    let before: readonly string[];

    beforeAll(async () => {
      world = await openTwoOrganizations(await open());
      credentials = await world.strangers();
      before = await rowsOf(world.database, world.foreign);
    });
    afterAll(() => world?.close());

    /**
     * Returns what the caller can observe of the answer. Fails when it contains anything of the foreign organization.
     */
    async function observe(caller: string, request: InjectOptions, sent: readonly string[]): Promise<string> {
      const answer = await world.send(credentials[caller], request);
      const what = `${request.method} ${JSON.stringify([request.url, request.payload])}`;
      expect([what, leaksOf(world.foreign, answer, sent)]).toEqual([what, []]);
      expect([what, Math.floor(answer.statusCode / 100)]).not.toEqual([what, 5]);
      return observable(answer, sent);
    }

    const idsOf = (name: NamedResource = 'repository') => {
      const foreign = world.foreign.names[name];
      return { own: world.own.names[name], foreign, unknown: unknownLike(foreign) };
    };

    it('and the test can call each of them', () => {
      const served = describeRoutes(world.server)
        .filter(({ path, method }) => path.startsWith(apiPrefix) && !['HEAD', 'OPTIONS'].includes(method))
        .map(nameOf);
      expect(served.toSorted()).toEqual(Object.keys(routeCalls).toSorted());
      for (const route of served) {
        expect([route, routeCalls[route]?.names !== undefined]).toEqual([route, /:\w+/.test(route)]);
      }
      expect(tools.map(({ listing }) => listing.name).toSorted()).toEqual(Object.keys(toolCalls).toSorted());
    });

    it('and the test marks every text of an organization, so that an answer shows a leak', async () => {
      const unmarked = await unmarkedColumns(world);
      expect(unmarked.filter((column) => !fixedColumns.test(column))).toEqual([]);
    });

    it('and the test credentials have the described rights', async () => {
      expect(Object.keys(credentials)).toEqual(strangers);
      const inOwn: unknown[] = [];
      for (const caller of strangers) {
        const request = restRequest('GET /repositories', world.own.slug, '');
        inOwn.push([caller, (await world.send(credentials[caller], request)).statusCode]);
      }
      const statuses = [200, 200, 401, 200, 200, 200, 403, 401, 403, 401];
      expect(inOwn).toEqual(strangers.map((caller, index) => [caller, statuses[index]]));
    });

    describe.each(strangers)('against %s', (caller) => {
      it.each(Object.keys(routeCalls))('%s', async (route) => {
        const { own, foreign, unknown } = idsOf(routeCalls[route]?.names);
        const answers = new Set<string>();
        for (const slug of [world.foreign.slug, nowhere]) {
          for (const id of [own, foreign, unknown, malformed]) {
            answers.add(await observe(caller, restRequest(route, slug, id), [slug, id]));
          }
        }
        expect([...answers]).toEqual([refused]);
        const inOwn = new Set<string>();
        for (const id of [foreign, unknown]) {
          inOwn.add(await observe(caller, restRequest(route, world.own.slug, id), [id]));
        }
        await observe(caller, restRequest(route, world.own.slug, malformed), []);
        if (routeCalls[route]?.names !== undefined) {
          expect([...inOwn]).toEqual([expect.stringMatching(/^\[40[134],/)]);
        }
      });

      it.each(Object.keys(toolCalls))('the tool %s', async (tool) => {
        const { own, foreign, unknown } = idsOf(toolCalls[tool]?.names);
        const answers = new Set<string>();
        for (const slug of [world.foreign.slug, nowhere]) {
          for (const id of [own, foreign, unknown]) {
            answers.add(await observe(caller, toolRequest(tool, slug, id), [slug, id]));
          }
        }
        expect([...answers]).toEqual([refused]);
        for (const slug of [world.own.slug, undefined]) {
          const inOwn = new Set<string>();
          for (const id of [foreign, unknown]) {
            inOwn.add(await observe(caller, toolRequest(tool, slug, id), [id]));
          }
          if (toolCalls[tool]?.names !== undefined) expect(inOwn.size).toBe(1);
        }
      });

      it('a commit that is read from Git', async () => {
        const { foreign, unknown } = idsOf();
        const requests = [
          ...['GET /graph/entities/:key', 'GET /graph/entities/:key/related'].map(
            (route) => (key: string) => restRequest(route, world.own.slug, key),
          ),
          ...['get_entity', 'find_related'].map(
            (tool) => (key: string) => toolRequest(tool, world.own.slug, key),
          ),
        ];
        for (const requestOf of requests) {
          const seen = new Set<string>();
          for (const id of [foreign, unknown]) {
            const key = `commit:${id}:${'c'.repeat(40)}`;
            seen.add(await observe(caller, requestOf(key), [encodeURIComponent(key), key, id]));
          }
          expect(seen.size).toBe(1);
        }
      });

      it('the history of a place, by name, id and address', async () => {
        const { foreign, unknown } = idsOf();
        const names = idsOf('repositoryName');
        const requests = ['repository=', 'address=', 'path=a.ts&repository='].map(
          (query) => (name: string) =>
            ({
              method: 'GET',
              url: `/${world.own.slug}/api/v1/history?${query}${encodeURIComponent(name)}`,
            }) as const,
        );
        for (const requestOf of requests) {
          for (const pair of [
            [foreign, unknown],
            [names.foreign, names.unknown],
          ]) {
            const seen = new Set<string>();
            for (const name of pair) seen.add(await observe(caller, requestOf(name), [name]));
            expect(seen.size).toBe(1);
          }
        }
        // Without a place, the history is that of all repositories of the caller's organization.
        await observe(caller, { method: 'GET', url: `/${world.own.slug}/api/v1/history` }, []);
      });

      it("the caller's own identity, outside the paths of an organization", async () => {
        const answers = new Set<string>();
        for (const slug of [world.foreign.slug, nowhere]) {
          answers.add(await observe(caller, { method: 'GET', url: `/api/v1/me?orgSlug=${slug}` }, [slug]));
        }
        expect([...answers]).toEqual([refused]);
        for (const query of ['', `?orgSlug=${world.own.slug}`]) {
          await observe(caller, { method: 'GET', url: `/api/v1/me${query}` }, []);
        }
      });

      it('every other path of the server', async () => {
        for (const { method, path } of describeRoutes(world.server)) {
          if (path.startsWith(apiPrefix) || method === 'HEAD' || path === '*') continue;
          for (const id of [world.foreign.names.grant, world.foreign.slug, world.foreign.owner]) {
            const url = `${path.replaceAll(/:\w+/g, id)}?orgSlug=${world.foreign.slug}`;
            await observe(caller, { method, url }, [id]);
          }
        }
      });

      it('and nothing of the organization changes', async () => {
        expect(await rowsOf(world.database, world.foreign)).toEqual(before);
      });
    });
  });

  describe('admits its own members', () => {
    let world: TwoOrganizations;
    beforeAll(async () => {
      world = await openTwoOrganizations(await open());
    });
    afterAll(() => world?.close());

    it.each(Object.keys(toolCalls))('to the tool %s, which returns only their own data', async (tool) => {
      const { slug, apiKey, names } = world.own;
      const answer = await world.send(
        apiKey,
        toolRequest(tool, slug, names[toolCalls[tool]?.names ?? 'repositoryName']),
      );
      expect([answer.statusCode, answer.body]).toEqual([200, expect.not.stringContaining('isError')]);
      expect(leaksOf(world.foreign, answer, [])).toEqual([]);
      expect(leaksOf(world.own, answer, [])).not.toEqual([]);
    });

    it('to every route, each of which returns only their own data', async () => {
      const before = await rowsOf(world.database, world.foreign);
      const bodies: string[] = [];
      for (const route of Object.keys(routeCalls)) {
        const id = world.own.names[routeCalls[route]?.names ?? 'repository'];
        const answer = await world.send(world.own.apiKey, restRequest(route, world.own.slug, id));
        const what = [route, answer.statusCode, answer.body];
        const unsupported = routeCalls[route]?.unsupported;
        const expected =
          unsupported === undefined ? [200, 201, 202, 204] : [unsupported === true ? 400 : unsupported];
        expect(what).toEqual([route, expect.toBeOneOf(expected), answer.body]);
        expect([route, leaksOf(world.foreign, answer, [])]).toEqual([route, []]);
        bodies.push(answer.body);
      }
      // Marked texts are shown to their owners, so the marks of others would be detected too.
      for (const place of visiblePlaces) expect(bodies.join()).toContain(secretOf(world.own.slug, place));
      expect(await rowsOf(world.database, world.foreign)).toEqual(before);
    });
  });

  describe('is checked again with each request', () => {
    let world: TwoOrganizations;
    let ann: Joined;

    beforeEach(async () => {
      world = await openTwoOrganizations(await open());
      ann = await world.join();
    });
    afterEach(() => world?.close());

    /** Returns the statuses of REST and MCP, by key and by token. */
    async function statuses(): Promise<readonly number[]> {
      const { slug, names } = world.foreign;
      const requests = [
        restRequest('GET /repositories', slug, ''),
        toolRequest('index_status', slug, names.repositoryName),
      ];
      const answers = [];
      for (const credential of [ann.key, ann.token]) {
        for (const request of requests) answers.push((await world.send(credential, request)).statusCode);
      }
      return answers;
    }

    async function expectDeleted(route: string, id: string, credential: string): Promise<void> {
      expect(await statuses()).toEqual([200, 200, 200, 200]);
      const answer = await world.send(credential, restRequest(route, world.foreign.slug, id));
      expect([route, answer.statusCode]).toEqual([route, 204]);
    }

    it('a removed member is refused from the next call on', async () => {
      await expectDeleted('DELETE /members/:userId', ann.userId, world.foreign.apiKey);
      expect(await statuses()).toEqual([
        403,
        403,
        expect.toBeOneOf([401, 403]),
        expect.toBeOneOf([401, 403]),
      ]);
    });

    it('a disabled user is refused from the next call on', async () => {
      expect(await statuses()).toEqual([200, 200, 200, 200]);
      await world.disable(ann.userId);
      expect(await statuses()).toEqual([401, 401, 401, 401]);
    });

    it('only the tokens of a revoked grant are refused from the next call on', async () => {
      await expectDeleted('DELETE /grants/:id', ann.grantId, ann.token);
      expect(await statuses()).toEqual([200, 200, 401, 401]);
    });

    it('only a revoked API key is refused from the next call on', async () => {
      await expectDeleted('DELETE /api-keys/:id', ann.keyId, ann.key);
      expect(await statuses()).toEqual([401, 401, 200, 200]);
    });
  });
});

/** Some of the texts that the routes show to their owners. */
const visiblePlaces = [
  'repositories-name',
  'connections-name',
  'users-email',
  'invitations-email',
  'api_keys-name',
  'oauth_grants-client_name',
  'audit_events-details',
  'graph-name',
  'graph-file',
  'content',
  'conversations-title',
  'messages-content',
  'messages-citations',
];

/**
 * Columns without free text of users: ids, hashes, times, fixed words, and encrypted or deployment-wide values. A new
 * column counts as free text until it is added here.
 */
const fixedColumns = new RegExp(
  [
    String.raw`\.(id|.*_id|invited_by|hash|body_hash|revision|prefix|kind|source_kind|role|state|actor|purpose|outcome)$`,
    String.raw`^deliveries\.source$|^repositories\.(indexed_commit|number)$|^oauth_grants\.(scopes)$`,
    String.raw`^organizations\.slug$|^connection_secrets\.|^users\.password_hash$`,
  ].join('|'),
);

/** Returns `table.column` of each text of the foreign organization that no row marks. */
async function unmarkedColumns({ database, foreign }: TwoOrganizations): Promise<readonly string[]> {
  const mark = secretOf(foreign.slug, '');
  const known = [foreign.id, foreign.owner, mark, ...Object.values(foreign.names)];
  const texts = new Set<string>();
  const marked = new Set<string>();
  for (const { table, row } of await everyRow(database)) {
    if (!known.some((one) => JSON.stringify(row).includes(one))) continue;
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'string') (value.includes(mark) ? marked : texts).add(`${table}.${column}`);
    }
  }
  return [...texts].filter((column) => !marked.has(column)).toSorted();
}
