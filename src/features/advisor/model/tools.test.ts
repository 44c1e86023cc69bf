import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFerry } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { openModelForTest } from '../../../../test/support/advisor/opened-model.ts';
import type { AnswerTool } from '../advisor-deps.ts';
import { collectPack, type Pack } from '../collect-pack.ts';
import { openFence } from './instructions.ts';
import { IssuedSources } from './issued-sources.ts';
import { runCall } from './tools.ts';

let advisor: OpenedAdvisor;
let pack: Pack;
let name: string;
beforeAll(async () => {
  advisor = await openFerry();
  const options = { signal: asking.signal, until: performance.now() + 50_000 };
  pack = await collectPack(advisor.deps, advisor.projecting.scope, { prompt: 'retry' }, options);
  const { passages, repositories } = pack.inquiry.ranked;
  name = repositories.find(({ id }) => id === passages.best[0]?.repository)?.name ?? '';
});
afterAll(() => advisor.close());

/** Runs a call, by default of a tool of MCP, and returns its result without marks, and the sources in it. */
async function run(tool: string, args: unknown, text?: string) {
  const { model } = (await openModelForTest(() => ({}))).with(advisor.deps);
  const said = (one: AnswerTool): AnswerTool =>
    text === undefined ? one : { ...one, run: () => Promise.resolve(text) };
  const issued = new IssuedSources();
  const fence = openFence();
  const result = await runCall(
    { id: '1', name: tool, arguments: JSON.stringify(args) },
    { deps: advisor.deps, model: { ...model!, tools: model!.tools.map(said) }, pack, signal: asking.signal },
    { issued, fence },
  );
  expect(result).toBe(fence.text(result.split('\n').slice(1, -1).join('\n')));
  for (let id = 1; issued.cite(id) !== undefined; id += 1);
  const sources = issued.citations();
  return { lines: result.split('\n').slice(1, -1), sources };
}

it('numbers lines, with the text after their address', async () => {
  const { lines, sources } = await run('search_code', { query: 'deliverParcel file:main.ts', context: 1 });
  expect(lines).toContain(`[2] ${name}/src/main.ts:4:   deliverParcel();`);
  expect(sources[1]).toMatchObject({
    kind: 'code',
    repository: name,
    path: 'src/main.ts',
    startLine: 4,
    endLine: 4,
    address: `${name}/src/main.ts:4`,
    excerpt: 'deliverParcel();',
  });
});

it('numbers each forty lines of a file that was read', async () => {
  const long = Array.from({ length: 90 }, (_, index) => `${index + 3}  line ${index + 3}`);
  const text = [`${name}/src/a b.ts:3-92 of 400 lines`, ...long, `${name}/src/c.ts:1 of 1 line`, '1  c'];
  const { lines, sources } = await run('read_file', {}, text.join('\n'));
  expect(lines[41]).toBe('[2] 43  line 43');
  expect(sources.map(({ address }) => address.slice(name.length))).toEqual([
    '/src/a b.ts:3-42',
    '/src/a b.ts:43-82',
    '/src/a b.ts:83-92',
    '/src/c.ts:1',
  ]);
  expect(sources[2]?.excerpt).toMatch(/^line 83\n[^]*\nline 92$/u);
});

it('numbers no line of a file whose address cannot be read', async () => {
  const text = [`${name}/a.ts:1 of 1 line`, '1  a', `${name}/b (1).ts:2-3 of 9 lines`, '2  b', '3  b'];
  const { sources } = await run('read_file', {}, text.join('\n'));
  expect(sources).toMatchObject([{ address: `${name}/a.ts:1`, excerpt: 'a' }]);
});

it('numbers commits, and no line of a difference', async () => {
  const { sources } = await run('history', { address: name });
  const [first] = sources;
  expect(first).toMatchObject({ kind: 'commit', repository: name, excerpt: /Refuse parcels/u });
  expect(first?.uri).toBe(`ctx://repo/${name}/commit/${first?.commit}`);
  const shown = await run('show_commit', { address: first?.address });
  expect(shown.sources.map(({ kind, excerpt }) => [kind, excerpt.includes('harbour is closed')])).toEqual([
    ['commit', false],
    ['entity', false],
  ]);
});

it('numbers records and files with their connections', async () => {
  const issue = await run('find_related', { entity: 'ENG-12' });
  expect(issue.sources).toMatchObject([{ kind: 'issue', uri: 'ctx://tracker/issue/ENG-12' }]);
  expect(issue.sources[0]?.excerpt).toMatch(/ mentions .*retryWithBackoff/u);
  const file = await run('get_entity', { entity: `${name}/src/retry.ts` });
  expect(file.sources).toMatchObject([{ kind: 'entity', address: `${name}/src/retry.ts` }]);
  expect(file.sources[0]?.excerpt).toMatch(/ owned_by /u);
});

it.each([
  'unknown/src/a.ts:3: text',
  'NAME/a b c: file',
  'NAME/src/a.ts owned_by person:x person "X" (at NAME/src/b.ts:3: text; 90 %)',
  'NAME (indexed): at 5aa71ee8e9e5',
  'Error: NAME/src/a.ts: is not there',
  'ctx://nothing/here',
  '  NAME/src/a.ts:3: text',
  '+NAME/src/a.ts:3: text',
  '12  NAME/src/a.ts:3: text',
  '',
])('numbers nothing in %j', async (line) => {
  const { lines, sources } = await run('history', {}, line.replaceAll('NAME', name));
  expect(sources).toEqual([]);
  expect(lines.join('\n')).toBe(line.replaceAll('NAME', name));
});

it('shows no text of the graph as lines of a file', async () => {
  const { sources } = await run('get_entity', { entity: `${name}/src/retry.ts:2` });
  const [own] = sources;
  expect(own).toMatchObject({ kind: 'entity', excerpt: expect.stringContaining('retryWithBackoff') });
  const numbered = await run('read_file', { places: [`${name}/src/retry.ts:2-3`] });
  expect(numbered.sources[0]).toMatchObject({ kind: 'code', startLine: 2 });
});

it('runs no tool with arguments that are no JSON', async () => {
  const { model } = (await openModelForTest(() => ({}))).with(advisor.deps);
  const call = { id: '1', name: 'history', arguments: '{"address": "cut' };
  const context = { deps: advisor.deps, model: model!, pack, signal: asking.signal };
  const found = { issued: new IssuedSources(), fence: openFence() };
  expect(await runCall(call, context, found)).toBe('Error: the arguments are no JSON, or too long.');
});
