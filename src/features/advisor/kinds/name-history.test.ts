import { afterAll, beforeAll, expect, it } from 'vitest';
import { commitAt } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor, openAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { ask } from '../ask.ts';

let advisor: OpenedAdvisor;
const yard = createRepository();
beforeAll(async () => {
  advisor = await openAdvisor();
  commitAt(yard, '2025-01-01T00:00:00Z', 'Import', { 'src/a.c': 'int zero;\n' });
  commitAt(yard, '2025-01-02T00:00:00Z', 'Tow boats', { 'src/a.c': 'int zero;\nvoid towBoat(int a) {\n}\n' });
  commitAt(yard, '2025-01-03T00:00:00Z', 'Tow faster', {
    'src/a.c': 'int zero;\nint towBoat(int a, int b) {\n  return a;\n}\n',
  });
  commitAt(yard, '2025-02-01T00:00:00Z', 'Set options', {
    'src/opts.ts': 'export function setUp(o: any): void {\n  o.knotLimit = 10;\n}\n',
  });
  commitAt(yard, '2025-02-02T00:00:00Z', 'Share the limit', {
    'src/opts.ts': 'export function setUp(o: any): void {\n  apply(o);\n}\n',
    'src/limits.ts': 'export const knotLimit = 10;\n',
  });
  commitAt(yard, '2025-03-01T00:00:00Z', 'Count ropes', {
    'lib/count.rb': 'def report\n  puts 1\n  sumRopes\nend\n',
  });
  commitAt(yard, '2025-03-02T00:00:00Z', 'Sum ropes', {
    'lib/count.rb': 'def report\n  puts 1\nend\n',
    'lib/sum.rb': 'def sumRopes\n  1\nend\n',
  });
  commitAt(yard, '2025-04-01T00:00:00Z', 'Call it', {
    'src/use.js': 'export function go(a, b) {\n  old();\n  bailOut(a, b);\n}\n',
  });
  commitAt(yard, '2025-04-02T00:00:00Z', 'Declare it', {
    'src/use.js': 'export function go(a, b) {\n  old();\n}\n',
    'src/bail.ts': 'export declare function bailOut(a, b);\n',
  });
  commitAt(yard, '2025-05-01T00:00:00Z', 'Java adds', {
    'src/Sail.java': 'class Sail {\n  void furlSail(int a) {\n  }\n}\n',
  });
  commitAt(yard, '2025-05-02T00:00:00Z', 'Java changes', {
    'src/Sail.java': 'class Sail {\n  int furlSail(int a, int b) {\n    return a;\n  }\n}\n',
  });
  commitAt(yard, '2025-06-01T00:00:00Z', 'Type adds', {
    'src/x.cc': 'class Anchor final : public Thing {\n  int a;\n};\n',
  });
  commitAt(yard, '2025-06-02T00:00:00Z', 'Type changes', { 'src/x.cc': 'struct Anchor {\n  int a;\n};\n' });
  commitAt(yard, '2025-07-01T00:00:00Z', 'Haul', { 'src/tug.ts': 'export function haulTug(): void {}\n' });
  commitAt(yard, '2025-07-02T00:00:00Z', 'Stop hauling', { 'src/tug.ts': '\n' });
  const flags = (...names: readonly string[]): string =>
    names.map((name) => `flag('${name}', 1);\n`).join('');
  const long = 'tide.tables.depth.max';
  const depth = { 'src/depth.ts': 'export const depth = 1;\n' };
  commitAt(yard, '2025-07-01T00:00:00Z', 'Flag depths', {
    'src/f.ts': flags('tide.tables.depth', long),
    ...depth,
  });
  commitAt(yard, '2025-07-02T00:00:00Z', 'Drop the flag', { 'src/f.ts': flags(long) });
  commitAt(yard, '2025-07-03T00:00:00Z', 'Drop the constant', { 'src/depth.ts': '', 'src/f.ts': '' });
  await advisor.projecting.add(yard.folder);
});
afterAll(() => advisor.close());

it.each(['towBoat', 'Sail.furlSail', 'Anchor'])(
  'does not state the change of a line of a definition as its first commit: %s',
  async (name) => {
    const { answer } = await ask(
      advisor.deps,
      advisor.projecting.scope,
      { prompt: `When was \`${name}\` first added?` },
      asking,
    );
    expect(answer).toMatch(/^Possible: Oldest known commit|“(?:Tow boats|Java adds|Type adds)”/u);
  },
);

it.each([
  ['knotLimit', 'Share the limit'],
  ['sumRopes', 'Sum ropes'],
  ['bailOut', 'Declare it'],
])('does not take a use that a commit removes for the definition: %s', async (name, subject) => {
  const { answer } = await ask(
    advisor.deps,
    advisor.projecting.scope,
    { prompt: `When was \`${name}\` first added?` },
    asking,
  );
  expect(answer.split('\n')[0]).toContain(`“${subject}”`);
});

it.each(['When was haulTug removed?', 'When was towBoat added?'])(
  'reads what the stated commit changed once: %s',
  async (prompt) => {
    const { sources } = advisor.deps;
    const read: string[] = [];
    const readDiff: typeof sources.readDiff = (scope, request, signal) => {
      read.push(`${request.commit} ${request.path ?? ''}`);
      return sources.readDiff(scope, request, signal);
    };
    const deps = { ...advisor.deps, sources: { ...sources, readDiff } };
    await ask(deps, advisor.projecting.scope, { prompt }, asking);
    expect(read.length).toBeGreaterThan(0);
    expect(read).toEqual([...new Set(read)]);
  },
);

it.each([
  [
    'When was the tide.tables.depth flag removed?',
    'Last commit that removed `tide.tables.depth`',
    'Drop the flag',
  ],
  [
    'When was the option `--tide.tables.depth` removed?',
    'Last commit that removed `tide.tables.depth`',
    'Drop the flag',
  ],
  ['When was the tide.tables.depth setting added?', 'commit that added `tide.tables.depth`', 'Flag depths'],
  ['When was tides.depth removed?', 'Last commit that removed `depth`', 'Drop the constant'],
])(
  'looks for the whole name of a setting, and for the last part of others: %s',
  async (prompt, what, subject) => {
    const { answer } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
    const [first] = answer.split('\n');
    expect(first).toContain(what);
    expect(first).toContain(`“${subject}”`);
  },
);
