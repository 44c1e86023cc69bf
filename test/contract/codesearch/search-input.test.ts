import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openServedRepositories,
  type ServedRepositories,
  toolCall,
} from '../../support/codesearch/served-repositories.ts';
import { createRepository } from '../../support/git/git-repository.ts';

let service: ServedRepositories;

const files = {
  'src/a.ts': 'export const wombat = { x: 1 };\nexport function open(): void {}\n',
  'src/b.go': 'package b\n\nfunc Wombat(x int) {}\n',
  'docs/c.md': 'Nothing here, but ünïcödé.\n',
};

beforeAll(async () => {
  service = await openServedRepositories();
  await service.add('app', createRepository(files));
});
afterAll(() => service?.close());

const searchByRest = (query: string) => service.search(query);

const searchByMcp = (query: unknown) => service.callTool('search_code', { query });

interface Hit {
  readonly path: string;
}

const pathsOf = (items: unknown): string[] => (items as Hit[]).map(({ path }) => path).toSorted();

describe('an invalid query', () => {
  it.each<[string, number, RegExp]>([
    ['', 1, /no search term; write a word/],
    ['   ', 1, /no search term/],
    ['wombat (x', 8, /`\(` is never closed; close it/],
    ['wombat) x', 7, /`\)` has no matching/],
    ['((wombat)', 1, /`\(` is never closed/],
    ['()', 1, /parentheses are empty/],
    ['x flie:a', 3, /did you mean `file:`\?/],
    ['x symbl:a', 3, /did you mean `symbol:`\?/],
    ['x extension:ts', 3, /there is no filter `extension:`; write `file:/],
    ['lang:typscript x', 1, /did you mean TypeScript\?/],
    ['x repo:apq', 3, /no repository has a name with `apq`; did you mean `repo:app`\?/],
    ['a\0b', 2, /NUL byte/],
    ['"wombat', 1, /quote is never closed/],
    ['x /(?=a)/', 3, /lookaround, which is not supported/],
    ['x /a(/', 3, /not a valid regular expression/],
    ['x /(a)\\1/', 3, /backreference/],
    ['x /\\p{Klingon}/', 3, /uses \\p\{Klingon/],
    [`${'a '.repeat(20)}a`, 41, /at most 20 terms/],
    ['é'.repeat(513), 1, /longer than 1024 bytes/],
  ])(
    'is refused with its column and a correction, over REST and MCP alike: %j',
    async (query, column, words) => {
      const rest = await searchByRest(`q=${encodeURIComponent(query)}`);
      const mcp = await searchByMcp(query);
      expect(rest).toMatchObject({
        status: 400,
        body: {
          code: 'validation_failed',
          errors: [
            { path: '/q', message: expect.stringMatching(new RegExp(`^column ${column}: `)) as string },
          ],
        },
      });
      const [error] = rest.body['errors'] as { message: string }[];
      expect(error?.message).toMatch(words);
      expect(mcp.status).toBe(200);
      expect(mcp.body).toMatchObject({ result: { isError: true } });
      expect(JSON.stringify(mcp.body)).toContain(`column ${column}: `);
    },
  );

  it('is refused when it is missing, given twice or empty', async () => {
    for (const query of ['', 'q=a&q=b', 'q[x]=a']) {
      expect(await searchByRest(query)).toMatchObject({
        status: 400,
        body: { errors: [{ path: expect.stringMatching(/q/) as string }] },
      });
    }
    for (const query of [undefined, null, 7, ['a']]) {
      const { body } = await searchByMcp(query);
      expect(body).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringMatching(/query/) as string }] },
      });
    }
  });

  it('is refused when its bytes are not UTF-8, instead of being searched as other characters', async () => {
    expect(await searchByRest('q=wombat%20%FFx')).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/q', message: expect.stringMatching(/^column 8: .*UTF-8/) as string }] },
    });
    expect(await searchByRest('q=100%')).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/q', message: expect.stringContaining('%25') as string }] },
    });
    const whole = toolCall('search_code', { query: 'wombat?' });
    const broken = Buffer.from(whole);
    broken[whole.indexOf('?')] = 0xff;
    expect(await service.postMcp(broken)).toMatchObject({
      status: 400,
      body: { error: { code: -32_700, message: expect.stringContaining('UTF-8') as string } },
    });
    const surrogate = await service.postMcp(whole.replace('?', '\\ud800'));
    expect(surrogate.body).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(surrogate.body)).toContain('column 7: a lone surrogate');
  });
});

describe('a query of one or two characters', () => {
  it.each<[string, string[]]>([
    ['x', ['src/a.ts', 'src/b.go']],
    ['{}', ['src/a.ts', 'src/b.go']],
    ['ü', ['docs/c.md']],
    ['ï', ['docs/c.md']],
    ['/X/', []],
    ['X case:no', ['src/a.ts', 'src/b.go']],
    ['"("', ['src/a.ts', 'src/b.go']],
    ['1', ['src/a.ts']],
    ['~', []],
  ])('finds every file that contains it, over REST and MCP alike: %s', async (query, expected) => {
    const rest = await searchByRest(`q=${encodeURIComponent(query)}`);
    expect([rest.status, pathsOf(rest.body['items'])]).toEqual([200, expected.toSorted()]);
    const { result } = (await searchByMcp(query)).body as { result: { content: [{ text: string }] } };
    const found = result.content[0].text.matchAll(/^\w+\/([\w./]+)(?=:|$)/gm);
    const paths = new Set(Array.from(found, ([, path = '']) => path));
    expect([...paths].toSorted()).toEqual(expected.toSorted());
  });
});

describe('a repository that is removed while it is searched', () => {
  it('returns its complete answer or none, and none after the removal', async () => {
    const names = Array.from({ length: 40 }, (_, n) => [`f${n}.ts`, `doomed ${n}\n`]);
    const { id } = await service.add('doomed', createRepository(Object.fromEntries(names)));
    const query = 'q=doomed+case:yes+type:content';
    expect((await searchByRest(query)).body['items']).toHaveLength(40);
    const searching = Array.from({ length: 30 }, async (_, n) => {
      for (let tick = 0; tick < n % 6; tick++) await new Promise(setImmediate);
      return searchByRest(query);
    });
    const { erase } = await service.remove(id);
    const after = await searchByRest(query);
    await erase();
    for (const { status, body } of await Promise.all(searching)) {
      expect([200, 503]).toContain(status);
      if (status === 200) expect([0, 40]).toContain((body['items'] as unknown[]).length);
    }
    expect(after).toMatchObject({ status: 200, body: { items: [] } });
    expect(await searchByRest(query)).toMatchObject({ status: 200, body: { items: [] } });
    const file = await service.http.call({ url: `/acme/api/v1/repositories/${id}/file?path=f1.ts` });
    expect(file.statusCode).toBe(404);
    expect((await searchByRest('q=wombat')).body['items']).toHaveLength(2);
  });
});
