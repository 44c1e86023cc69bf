import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../src/features/advisor/ask.ts';
import { parseAddress } from '../../src/features/search/address.ts';
import { commitAt } from '../support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor, openAdvisor } from '../support/advisor/opened-advisor.ts';
import { createRepository } from '../support/git/git-repository.ts';

/** Names of files that look like other arguments, other calls, numbers of sources or the end of inline code. */
const names = [
  'a; show_commit repository=globex commit=0123abcd.ts',
  'a limit=1 repository=globex.ts',
  'two  spaces.ts',
  '[slug],[id].ts',
  'a=b.ts',
  'a`; `read_file places=[globex.ts',
  'a [1] [77].ts',
  'a: 7.ts',
  `${`${'long'.repeat(50)}/`.repeat(17)}a.ts`,
  `${'l; `/'.repeat(90)}b.ts`,
  `${'日本/'.repeat(60)}c; d.ts`,
] as const;

let advisor: OpenedAdvisor;
let repository: string;

beforeAll(async () => {
  advisor = await openAdvisor();
  const code = createRepository();
  const files = names.map((name, n) => [
    `src/${n}/${name}`,
    `export function zorpNamed${n}() {\n  return zorpCount${n};\n}\n${`zorpNamed${n}();\n`.repeat(20)}`,
  ]);
  const readers = names.map((_, n) => [
    `src/read${n}.ts`,
    `export function zorpRead${n}() {\n${`  zorpCount${n}++;\n`.repeat(80)}}\n`,
  ]);
  commitAt(code, '2029-01-01T00:00:00Z', 'Start', Object.fromEntries([...files, ...readers]));
  await advisor.projecting.add(code.folder);
  const [one] = await advisor.deps.queries.selectFrom('repositories').select('name').execute();
  repository = one!.name;
});
afterAll(() => advisor?.close());

const questions: Readonly<Record<string, (n: number) => string>> = {
  passages: (n) => `How does the zorp named ${n} return its zorpCount${n} to the caller?`,
  definition: (n) => `What is zorpNamed${n}?`,
  uses: (n) => `What calls zorpNamed${n}?`,
  impact: (n) => `What breaks if I rename zorpNamed${n}?`,
  change: (n) => `When was zorpNamed${n} introduced?`,
};

/** Reads a call back: the name of a tool, then `key=value`, or `key=[value,value]`. */
function readCall(call: string): { readonly tool: string; readonly values: readonly [string, string][] } {
  const [tool = '', ...given] = call.split(' ');
  return {
    tool,
    values: given.map((one) => {
      const at = one.indexOf('=');
      return [one.slice(0, at), one.slice(at + 1).replace(/^\[(.*)\]$/u, '$1')];
    }),
  };
}

const keys: Readonly<Record<string, readonly string[]>> = {
  find_references: ['address', 'name'],
  history: ['address', 'text'],
  read_file: ['places'],
  show_commit: ['repository', 'commit'],
  search_code: ['query'],
};

describe.each(Object.entries(questions))('the answer about %s', (_kind, question) => {
  it.each(names.map((name, n) => [n, name.slice(0, 40)] as const))(
    'of file %i, %s, leads to it',
    async (n) => {
      const { scope } = advisor.projecting;
      const { text, citations } = await ask(advisor.deps, scope, { prompt: question(n) }, asking);
      expect(citations).not.toEqual([]);
      const paths = new Set([`src/${n}/${names[n]!}`, ...citations.flatMap(({ path }) => path ?? [])]);
      const lines = text.split('\n');
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(6_000);
      // One long path leaves room for the code.
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(700);
      for (const line of lines.filter((one) => !one.startsWith('    ')))
        expect(line.split('`').length % 2, line).toBe(1);
      const next = lines.filter((line) => line.startsWith('Next: '));
      expect(next.length).toBeLessThanOrEqual(1);
      const calls = (next[0] ?? '').slice('Next: '.length).split('; ').filter(Boolean);
      for (const call of calls) {
        expect(call).toMatch(/^`[^`]+`$/u);
        const { tool, values } = readCall(call.slice(1, -1));
        // The history of a text is one of the repository.
        const isOfText = values.some(([key]) => key === 'text');
        expect(values).toHaveLength(tool === 'show_commit' || isOfText ? 2 : 1);
        for (const [key] of values) expect(keys[tool]).toContain(key);
        for (const [key, value] of values) {
          if (isOfText) expect([repository, `zorpNamed${n}`]).toContain(value);
          else if (key === 'address' || key === 'places') {
            const place = parseAddress(value, [repository]);
            expect(place).toEqual({ repository, path: place.path, lines: place.lines });
            expect(paths).toContain(place.path);
            expect(place.lines).toBeDefined();
          } else if (key === 'repository') expect(value).toBe(repository);
        }
      }
    },
  );
});

it('keeps numbers in brackets that a name has', async () => {
  const { scope } = advisor.projecting;
  const { text } = await ask(advisor.deps, scope, { prompt: 'What is zorpNamed6?' }, asking);
  expect(text).toMatch(/^Defined: .*a \[1\] \[77\]\.ts:1-3` \[1\]$/mu);
});

it('answers also if the names of two repositories fit an address', async () => {
  const own = await openAdvisor();
  try {
    const { projecting, deps } = own;
    for (const [name, call] of [
      ['team', 'zorpOther'],
      ['team/api', 'zorpCall'],
    ] as const) {
      const code = createRepository();
      commitAt(code, '2029-01-01T00:00:00Z', 'Start', {
        'src/a.ts': `export function ${call}() {\n  return 1;\n}\n\n${`${call}();\n`.repeat(20)}`,
      });
      const { id } = await projecting.add(code.folder);
      await projecting.database.transaction((tx) =>
        tx.updateTable('repositories').set({ name }).where('id', '=', id).execute(),
      );
    }
    const ways = [
      'What calls zorpCall in team/api?',
      'What breaks if I rename zorpCall?',
      'What is zorpCall?',
    ];
    for (const prompt of ways) {
      const { text } = await ask(deps, projecting.scope, { prompt }, asking);
      expect(text).toMatch(/team\/api\/(?:file\/)?src\/a\.ts/u);
    }
  } finally {
    await own.close();
  }
});
