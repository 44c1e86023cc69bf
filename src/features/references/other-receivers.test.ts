import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenedAdvisor, openAdvisor } from '../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { findReferences } from './find-references.ts';

const files = {
  'src/many.ts': [
    'class Valve {',
    '  turn(): void {}',
    '}',
    'export function many(valve: Valve): void {',
    ...Array.from({ length: 400 }, () => '  valve.turn();'),
    '}',
    '',
  ].join('\n'),
  'src/routes.ts': [
    'export class Router {',
    '  mount(path: string): Router {',
    '    return this;',
    '  }',
    '}',
    'export class Wall {',
    '  mount(): void {}',
    '}',
    'export function prepare(): void {}',
    'const router = new Router();',
    "router.mount('/a');",
    "it('mounts', () => {",
    "  const mount = router.mount('/b');",
    '  type Mounted = typeof mount;',
    '  const prepare = mount;',
    '  prepare;',
    '});',
    'each((mount) => {',
    '  log(mount);',
    '});',
    'prepare();',
    'export function serve(other: any, own: Router, wall: Wall): void {',
    "  own.mount('/c');",
    '  other.mount();',
    '  wall.mount();',
    '  // mount it',
    '}',
    '',
  ].join('\n'),
};
let advisor: OpenedAdvisor;

beforeAll(async () => {
  advisor = await openAdvisor();
  await advisor.projecting.add(createRepository(files).folder);
});
afterAll(() => advisor.close());

/** Returns the lines of a name as short texts: line, kind, certainty, definition around it, reason. */
async function linesOf(name: string): Promise<readonly string[]> {
  const { deps, projecting } = advisor;
  const { items } = await findReferences(deps, projecting.scope, { name }, new AbortController().signal);
  return items.map(({ address, kind, certainty, from = '-', reason = '-' }) =>
    [address.replace(/.*:/, ''), kind, certainty, from, reason].join(' '),
  );
}

it('takes neither variables in callbacks and modules nor other receivers for a method', async () => {
  expect(await linesOf('Router.mount')).toEqual([
    '2 definition certain - -',
    '11 call certain - same-file',
    '13 call certain - same-file',
    '23 call certain serve same-file',
    '24 call possible serve 2 candidates',
    '14 read text - -',
    '15 read text - -',
    '18 read text - -',
    '19 read text - -',
    '26 text text - -',
  ]);
  expect(await linesOf('prepare')).toEqual([
    '9 definition certain - -',
    '21 call certain - same-file',
    '15 write text - -',
    '16 read text - -',
  ]);
});

it('calls the lines possible that have no room in the evidence of an edge', async () => {
  const { deps, projecting } = advisor;
  const { signal } = new AbortController();
  const found = await findReferences(deps, projecting.scope, { name: 'turn' }, signal);
  expect(found).toMatchObject({ total: 401, text: 0, certain: expect.closeTo(160, -2) });
  expect(found.certain + found.possible).toBe(401);
});
