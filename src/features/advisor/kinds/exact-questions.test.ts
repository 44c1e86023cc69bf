import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitAt } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor, openAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { ask } from '../ask.ts';

let advisor: OpenedAdvisor;

const dock = {
  // Names that differ from that of a type in case only.
  'src/aft.ts': Array.from(
    { length: 210 },
    (_, at) => `export class Hold${at} {\n  divers(): void {}\n}\n`,
  ).join(''),
  'src/net.ts': `import tls from 'node:tls';

export function connect(host: string): unknown {
  return tls.connect(host);
}

export function pair(): unknown[] {
  return [connect('a'), tls.connect('b')];
}
`,
  'src/stow.ts': `export function stowAll(): void {
${Array.from({ length: 80 }, (_, at) => `  stow(${at});\n`).join('')}}
`,
  'src/unload.ts': `export function unloadAll(): void {
${Array.from({ length: 80 }, (_, at) => `  ${at === 40 ? 'unload()' : `weigh(${at})`};\n`).join('')}}
`,
  'src/winch.ts': `export interface WinchOptions {
  slack: number;
}

export class Winch {
  constructor({ maxLoad = 4 }: { maxLoad?: number } = {}) {
    this.load = maxLoad;
  }
  load: number;
  lower(): void {}
}

export class Crane {
  maxHeight = 9;
  lower(): void {}
}

export function hoist(): Winch {
  return new Winch({ maxLoad: 2 });
}
`,
  'src/boat.ts': `export class Boat {
  lower(): void {}
}

export class Raft {
  lower(): void {}
}

export const maxRafts = 12;

export function launch(boat: Boat, rafts: Map<string, Raft>): void {
  for (const raft of rafts.values()) raft.lower();
  boat.lower();
}
`,
  'lib/boat.ts': `export class Boat {
  lower(): void {}
}
`,
  'src/crew.ts': `export interface Crew {
  row(): void;
}

export class Rowers implements Crew {
  row(): void {}
}

export class Divers extends Rowers {}

export interface Seat<Who> {
  who: Who;
}

export class Bench implements Seat<Rowers> {
  who = new Rowers();
}

export function hire(crew: Crew): Crew {
  return crew;
}
`,
  'src/storm.ts': `export class StormError extends Error {}

// Callers throw StormError themselves.

export function sail(): unknown {
  if (Math.random() > 0.5) throw new StormError();
  return new StormError();
}

export function isFurled(jib: unknown): boolean {
  if (typeof jib !== 'function') throw new TypeError('The sheet.haul is not a function.');
  return true;
}
`,
  'src/anchor.ts': `export function weigh(): void {
  throw new Error('the anchor is stuck');
}

export function drag(times: number): void {
  throw new Error(\`the anchor was lost \${times} times\`);
}
`,
  'src/fleet/ship.ts': `export class Ship {}\n${Array.from({ length: 13 }, (_, at) => `export class Ship${at} extends Ship {}\n`).join('')}`,
  'src/main.ts': `import { hoist } from './winch.ts';

export function start(): void {
  hoist().lower();
  if (process.env['DOCK_QUIET'] === undefined) console.log('started');
}
`,
};

beforeAll(async () => {
  advisor = await openAdvisor();
  const code = createRepository();
  commitAt(code, '2025-01-01T00:00:00Z', 'Start', dock);
  const other = createRepository();
  commitAt(other, '2025-01-01T00:00:00Z', 'Start', {
    'a.ts':
      'export function connect(): void {}\n\nexport function drag(times: number): void {\n  throw new Error(`the anchor was lost ${times} times`);\n}\n',
    'sails/sail.go': 'package sails\n\nfunc Hoist() {}\n\nfunc all() { Hoist() }\n',
  });
  await addAs('dock', code);
  await addAs('yard', other);
});
afterAll(() => advisor.close());

/** Adds a repository under a name. */
async function addAs(name: string, { folder }: TestRepository): Promise<void> {
  const named = join(temporaryFolder(), name);
  renameSync(folder, named);
  await advisor.projecting.add(named);
}

async function answerTo(prompt: string): Promise<string> {
  return (await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking)).answer;
}

const lead = async (prompt: string): Promise<string> => (await answerTo(prompt)).split('\n', 1)[0] ?? '';

describe('a question for uses', () => {
  it('does not take a definition that only shares the last part of the name', async () => {
    const answer = await answerTo('Who calls tls.connect?');
    expect(answer).toMatch(
      /^No definition is known as `tls\.connect`\. Lines with `tls\.connect`: 2, 2 of them in code\.\n\n- `\S+src\/net\.ts:4` call: `return tls\.connect\(host\);`/u,
    );
    expect(await lead('Who calls dock.lower?')).toMatch(
      /^No definition is known as `dock\.lower`, and no line has this text\. Lines with `lower`: /u,
    );
  });

  it('knows a qualified name with several definitions, and shows certain uses first', async () => {
    const answer = await answerTo('Who calls Boat.lower?');
    expect(answer).toMatch(/^Uses of `Boat\.lower`: 1 certain, /u);
    expect(answer).toMatch(/\n\n- `\S+src\/boat\.ts:13` call in `launch`: `boat\.lower\(\);`/u);
  });

  it('shows the lines around one use, or fewer of them around each of three', async () => {
    const linesOf = async (prompt: string): Promise<readonly number[]> => {
      const { citations } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
      return citations.map(({ startLine = 0, endLine = 0 }) => endLine - startLine + 1);
    };
    expect(await linesOf('Who calls `unload`?')).toEqual([40]);
    // The three that are shown with code are in the same lines.
    expect((await linesOf('Who calls `stow`?')).slice(0, 2)).toEqual([13, 1]);
  });

  it('takes a definition of the class, the repository or the package that the name says', async () => {
    expect(await lead('Who calls lower?')).toMatch(/^Lines with `lower`: 2 certain, 1 possible/u);
    expect(await lead('Who calls Crane.lower?')).toContain('Uses of `Crane.lower` at ');
    expect(await lead('Who calls yard.connect?')).toContain('Uses of `connect` at `yard/a.ts:1`');
    expect(await lead('Who calls sails.Hoist?')).toContain('Uses of `Hoist` at `yard/sails/sail.go:3`');
  });

  it.each([
    [
      'I get "the anchor is stuck" in dock. Why?',
      /^`dock\/src\/anchor\.ts:2`: `throw new Error\('the anchor is stuck'\)/u,
    ],
    [
      'I get "the anchor is stuck" in yard. Why?',
      /^Not found: no file of `yard` has this message\. Searched for `the anchor is stuck`\./u,
    ],
    ['E_STUCK: the anchor is stuck', /^`dock\/src\/anchor\.ts:2`/u],
    ['E_STUCK: the anchor is stuck in dock', /^`dock\/src\/anchor\.ts:2`/u],
    ['E_FREE: the anchor is stuck or not', /^Possible: `dock\/src\/anchor\.ts:2`/u],
    ['dock.errors.StuckError: the anchor was lost 3 times', /^`dock\/src\/anchor\.ts:6`/u],
    ['yard.StuckError: the anchor was lost 3 times', /^`yard\/a\.ts:4`/u],
    ["KeyError: 'DOCK_QUIET'", /^Possible: `dock\/src\/main\.ts:5`/u],
    ['I get "the anchor is stuck in mud" in dock. Why?', /^Possible: `dock\/src\/anchor\.ts:2`/u],
    [
      'I get "the  anchor\u00A0is  stuck 12\u00A0in mud" in dock. Why?',
      /^Possible: `dock\/src\/anchor\.ts:2`/u,
    ],
    [
      'Error: the anchor is stuck\n    at connect (/srv/yard/a.ts:1:3)',
      /^Frame: `yard\/a\.ts:1` \[1\](?![^]*anchor\.ts)/u,
    ],
    [
      'Error: x\n    at connect (/srv/yard/a.ts:1:3)',
      /^Frame: `yard\/a\.ts:1` \[1\](?![^]*The message is reported)/u,
    ],
  ])('looks for a message where it comes from: %s', async (prompt, expected) => {
    expect(await answerTo(prompt)).toMatch(expected);
  });

  it('searches a message of many signs by its parts', async () => {
    const message = `the anchor is stuck ${'+('.repeat(280)} 5 in mud`;
    expect(await lead(`ValueError: ${message}`)).toContain('`dock/src/anchor.ts:2`');
  });

  it.each([
    [
      'Which classes implement Crew?',
      /^Directly implement or extend `Crew` at `dock\/src\/crew\.ts:1-3`: 1 definition\./u,
    ],
    ['What are the subclasses of Rowers?', /^Directly implement or extend `Rowers` at /u],
    ['subclasses of Rowers', /^Directly implement or extend `Rowers` at /u],
    ['Which types derive from Rowers?', /^Directly implement or extend `Rowers` at /u],
    ['Which classes implement Seat?', /^Directly implement or extend `Seat` at [^\n]*: 1 definition\./u],
  ])('names the types that implement or extend one: %s', async (prompt, expected) => {
    const answer = await answerTo(prompt);
    expect(answer).toMatch(expected);
    expect(answer).toMatch(/\n\n- `(?:Rowers|Divers|Bench)` at `dock\/src\/crew\.ts:\d+/u);
    expect(answer).not.toContain('hire');
  });

  it.each(['subclasses of Ship', 'subclasses of Dock\\Fleet\\Ship', 'What extends dock.fleet.Ship?'])(
    'counts the types that are not shown, also of a name with its namespace: %s',
    async (prompt) => {
      const answer = await answerTo(prompt);
      expect(answer).toMatch(
        /^Directly implement or extend `Ship` at `dock\/src\/fleet\/ship\.ts:1`: 13 definitions\./u,
      );
      expect(answer).toMatch(/\n- 3 more\n/u);
    },
  );

  it('does not take what a type extends for what extends it', async () => {
    expect(await lead('Which class does Rowers extend?')).not.toContain('Directly implement or extend');
  });

  it('says that no line has the words of a message of a runtime', async () => {
    expect(await lead('TypeError: jib is not a function')).toMatch(/^Not found: no indexed file has this/u);
  });

  it.each(['What happens at src/storm.ts:6?', 'what happens at dock/src/storm.ts:6'])(
    'shows the lines around a place: %s',
    async (prompt) => {
      expect(await lead(prompt)).toMatch(/^Place: `dock\/src\/storm\.ts:6`/u);
    },
  );

  it.each([
    'Who calls hoist?',
    'Who calls the static function hoist?',
    'Where is the exported helper function `hoist` used?',
  ])('does not count the definition as a use: %s', async (prompt) => {
    expect(await lead(prompt)).toMatch(/: 2 certain, 0 possible, 0 by text only, of 2 lines\.$/u);
  });

  it.each(['What uses the maxLoad option of Winch?', 'What in Winch reads the `maxLoad` parameter?'])(
    'is about the option and not about its class: %s',
    async (prompt) => {
      const answer = await answerTo(prompt);
      expect(answer).toMatch(/^No definition is known as `maxLoad`\. Lines with `maxLoad`: 3, /u);
      expect(answer).toMatch(/winch\.ts:6`/u);
    },
  );

  it('lists the lines of a name that only stands in texts', async () => {
    expect(await answerTo('Where is DOCK_QUIET used?')).toMatch(/src\/main\.ts:5` text: `if \(process\.env/u);
  });

  it.each([
    'Who calls notThereAtAll?',
    'What uses the `notThereAtAll` option of Winch?',
    'Who owns notThereAtAll?',
  ])('says first that a name does not exist: %s', async (prompt) => {
    expect(await lead(prompt)).toBe('No definition and no use of `notThereAtAll` exists in `dock`, `yard`.');
  });

  it('states the line of a definition that has only one', async () => {
    expect(await lead('What is the value of maxRafts?')).toMatch(
      /^Defined: `maxRafts` at `dock\/src\/boat\.ts:9`: `export const maxRafts = 12;`/u,
    );
  });

  it.each([
    'Where is the constant maxRafts defined in dock?',
    'Where is the function isFurled defined in dock?',
    'Where is the class `Divers` defined in dock?',
  ])('states a definition that is named with its kind and repository: %s', async (prompt) => {
    expect(await lead(prompt)).toMatch(/^Defined: `(?:maxRafts|isFurled|Divers)` at /u);
  });

  it('states the definitions of a name in a file', async () => {
    const answer = await answerTo('Where is `lower` defined in src/winch.ts?');
    expect(answer).toMatch(/^Defined: `Winch\.lower` at `dock\/src\/winch\.ts:10`: /u);
    expect(answer).toMatch(/^- Defined: `Crane\.lower` at `dock\/src\/winch\.ts:15`: /mu);
    expect(answer).not.toContain('boat.ts');
  });

  it('shows a definition whole, without passages', async () => {
    const asked = { prompt: 'Where is `stowAll` defined?' };
    const { text, citations } = await ask(advisor.deps, advisor.projecting.scope, asked, asking);
    expect(citations).toHaveLength(1);
    expect(text).toContain('\n\t  stow(0);\n');
    expect(text).toContain('\n\t  stow(79);\n\t}\n');
  });

  it('says how many definitions a change may be of, and where', async () => {
    const { answer } = await ask(
      advisor.deps,
      advisor.projecting.scope,
      { prompt: 'What would break if I changed lower()?' },
      asking,
    );
    expect(answer).toMatch(
      /^`lower` has 5 definitions in `\S+`\. This is about the first of `\w+\.lower` at `\S+:\d+`, .* and 1 more\./u,
    );
    expect(answer).toMatch(/^- Uses of `\w+\.lower` at /mu);
    expect(answer).toContain('`search_code query=sym:lower repositories=[dock]`');
  });

  it('names the repositories of the definitions that are not shown', async () => {
    const answer = await answerTo('What is `lower`?');
    expect(answer).toContain('\n- 2 more with this name.');
    expect(answer).toContain('`search_code query=sym:lower repositories=[dock]`');
  });

  it('takes no part of a path or of a name with hyphens for a name', async () => {
    expect(await lead('What would a change of src/winch.ts in the hoist-room touch?')).toMatch(
      /^A change of `\S+src\/winch\.ts`/u,
    );
  });

  it.each(['What does `...` mean?', 'When was `::` added?', 'Who calls `...`?'])(
    'takes signs for no name: %s',
    async (prompt) => {
      expect(await answerTo(prompt)).not.toBe('');
    },
  );

  it('answers if the definitions of a qualified name cannot be searched', async () => {
    const search = () => Promise.reject(new Unavailable('search_failed', 'The search failed.'));
    const deps = { ...advisor.deps, codeSearch: { ...advisor.deps.codeSearch, search } };
    const prompt = 'How does org.dock.Boat.lower work?';
    const { answer } = await ask(deps, advisor.projecting.scope, { prompt }, asking);
    expect(answer).not.toBe('');
  });
});
