import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { commitAt } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor, openAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { unqualified } from '../../search/symbol-name.ts';
import { ask } from '../ask.ts';

let advisor: OpenedAdvisor;
const code = createRepository();
const shipyard = createRepository();
const paints = createRepository();
beforeAll(async () => {
  advisor = await openAdvisor();
  const keel = 'export function layKeel(): void {}\n';
  const mast = 'export function stepMast(): void {}\n';
  commitAt(code, '2025-01-01T00:00:00Z', 'Release 1.0.0', { 'src/hull.ts': keel });
  commitAt(code, '2025-02-01T00:00:00Z', 'Rig the ship', { 'src/hull.ts': `${keel}${mast}` });
  commitAt(code, '2025-03-01T00:00:00Z', 'Tidy up\n\nNobody builds by hand any more.', {
    'src/hull.ts': mast,
  });
  const planks = Array.from({ length: 2_000 }, (_, at) => `export const plank${at} = 'oak of the forest';\n`);
  const caulk = "import { caulk } from './z-caulk.ts';\nkettle.TAR_POT;\n";
  commitAt(shipyard, '2025-01-01T00:00:00Z', 'Import all', {
    'src/a-planks.ts': planks.join(''),
    'src/z-caulk.ts': 'export function caulk(): void {}\nkettle.TAR_POT;\n',
    'src/dock.sql': '-- careen_hull is for later\nselect 1;\n',
  });
  const hemp = '// spinHemp is for ropes.\nexport const hemp = 1; // see spinHemp\n';
  commitAt(shipyard, '2025-01-02T00:00:00Z', 'Spin hemp', {
    'src/hemp.ts': `${hemp}export function spinHemp(): void {}\n`,
  });
  commitAt(shipyard, '2025-01-03T00:00:00Z', 'Buy hemp', { 'src/hemp.ts': hemp });
  commitAt(shipyard, '2025-01-04T00:00:00Z', 'Correct a comment', {
    'src/hemp.ts': hemp.replace('is for', 'was for'),
  });
  commitAt(shipyard, '2025-01-05T00:00:00Z', 'Sew sails', {
    'src/sail.ts': 'export class Sail {\n  constructor(canvas: string, threads: number) {}\n}\n',
  });
  commitAt(shipyard, '2025-01-06T00:00:00Z', 'Sew by hand', {
    'src/sail.ts': 'export class Sail {\n  constructor(canvas: string) {}\n}\n',
  });
  commitAt(shipyard, '2025-02-01T00:00:00Z', 'Caulk the hull', { 'src/boat.ts': caulk });
  commitAt(shipyard, '2025-03-01T00:00:00Z', 'Clear the dock', { 'src/dock.sql': 'select 1;\n' });
  const manual = (text: string): string =>
    planks.map((_, at) => `Chapter ${at} of the manual. ${text}\n`).join('');
  const chapter = 'Call `pitchSeam` last.';
  commitAt(shipyard, '2025-04-01T00:00:00Z', 'Pitch seams', {
    'src/pitch.ts': 'export function pitchSeam(): void {}\n',
    'docs/manual.md': manual(chapter),
  });
  commitAt(shipyard, '2025-05-01T00:00:00Z', 'Let oakum do', { 'src/pitch.ts': '' });
  commitAt(shipyard, '2025-06-01T00:00:00Z', 'Rewrite the manual', { 'docs/manual.md': manual('') });
  const flag = 'export function hoistFlag(): void {}\n';
  const cabin = 'export class Cabin {\n  swab(): void {}\n}\n';
  commitAt(shipyard, '2025-07-01T00:00:00Z', 'Hoist the flag', { 'src/cabin.ts': `${cabin}${flag}` });
  commitAt(shipyard, '2025-07-02T00:00:00Z', 'Move the flag', {
    'src/cabin.ts': cabin,
    'src/flag.ts': flag,
  });
  const winch = 'export class Winch {\n  crank(): void {}\n}\n';
  const gear = "export const gear = 'all';\n";
  commitAt(shipyard, '2025-07-02T01:00:00Z', 'Crank winches', { 'src/winch.ts': `${winch}${gear}` });
  commitAt(shipyard, '2025-07-02T02:00:00Z', 'Turn faster', { 'src/gear.ts': 'winch.crank();\n' });
  commitAt(shipyard, '2025-07-02T03:00:00Z', 'Move winches', {
    'src/winch.ts': gear,
    'src/gear.ts': `winch.crank();\n${winch}`,
  });
  const broom = 'export const clean = (floor: Cabin): void => floor.swab();\n';
  commitAt(shipyard, '2025-07-02T12:00:00Z', 'Take a broom', { 'src/deck.ts': broom });
  commitAt(shipyard, '2025-07-03T00:00:00Z', 'Plank the deck', {
    'src/deck.ts': `export class Deck {\n  swab(): void {}\n}\n${broom}`,
  });
  shipyard.git('mv', 'src/deck.ts', 'src/planks.ts');
  commitAt(shipyard, '2025-07-04T00:00:00Z', 'Rename the deck', {});
  // The type is changed on its way from one file to another, beside a use that is older in the second one.
  const capstan = 'export class Capstan extends Drum {\n  turn(): void {}\n}\n';
  const ring = 'export const turnCapstan = (one: Capstan): void => one.turn();\n';
  commitAt(shipyard, '2025-07-05T00:00:00Z', 'Need a capstan', { 'src/ring.ts': ring });
  commitAt(shipyard, '2025-07-06T00:00:00Z', 'Turn the capstan', { 'src/drum.ts': capstan });
  commitAt(shipyard, '2025-07-07T00:00:00Z', 'Move the capstan', {
    'src/drum.ts': "export const drum = 'empty';\n",
    'src/ring.ts': `export class Capstan {\n  turn(): void {}\n}\n${ring}`,
  });
  const oar = 'export class Oar {\n  feather(): void {}\n}\n';
  commitAt(shipyard, '2025-08-01T00:00:00Z', 'Row', {
    'src/row.ts': '// feather, feather\nexport class Oar {}\n',
    'src/sweep.ts': 'export class Sweep {\n  feather(): void {}\n}\n',
  });
  commitAt(shipyard, '2025-08-02T00:00:00Z', 'Feather oars', { 'src/row.ts': oar });
  const bells = (...names: readonly string[]): string =>
    names.map((name) => `export class ${name} {\n  strike(): void {}\n}\n`).join('');
  commitAt(shipyard, '2025-08-02T01:00:00Z', 'Ring', { 'src/bells.ts': bells('FogBell') });
  commitAt(shipyard, '2025-08-02T02:00:00Z', 'Ring twice', { 'src/bells.ts': bells('FogBell', 'WatchBell') });
  commitAt(shipyard, '2025-08-02T12:00:00Z', 'Deprecate hempRopes', { 'src/old.ts': '' });
  shipyard.git('mv', 'src/row.ts', 'src/oar.ts');
  commitAt(shipyard, '2025-08-03T00:00:00Z', 'Rename the oar', {});
  const sails = (...changed: readonly number[]): string =>
    Array.from(
      { length: 22 },
      (_, at) => `const sail${at + 1} = ${changed.includes(at + 1) ? 2 : 1};\n`,
    ).join('');
  const flour = 'export function grindFlour(): void {}\nexport const grain = 1;\n';
  commitAt(shipyard, '2025-09-01T00:00:00Z', 'Build a mill', {
    'src/mill.ts': sails(),
    'src/flour.ts': flour,
  });
  commitAt(shipyard, '2025-09-02T00:00:00Z', 'Turn sails', { 'src/mill.ts': sails(2, 20) });
  shipyard.git('rm', '-q', 'src/flour.ts');
  commitAt(shipyard, '2025-09-03T00:00:00Z', 'Buy flour', {});
  const paint = (name: string, more = ''): string =>
    `export function ${name}(): number {\n  return 1;${more}\n}\n`;
  const lines = Array.from({ length: 90 }, (_, at) => `export const shade${at} = 'a shade of grey';\n`).join(
    '',
  );
  // The end of a line in another script looks like the beginning of another file.
  const forged = ['diff --git a/test/x.ts b/test/x.ts', '--- a/test/x.ts', '+++ b/test/x.ts', '@@ -1 +1 @@'];
  const forging = `// a\u2028${forged.join('\u2028')}\nexport const hiddenTar = 1;\n`;
  commitAt(paints, '2025-01-01T00:00:00Z', 'Mix paints', {
    'src/mix.ts': paint('mixRed') + paint('mixBlue'),
    'src/brush set.ts': paint('dipBrush'),
    'src/a "wide" brush.ts': paint('dipWide'),
    'src/ta\tb größe.ts': paint('dipTab'),
    'src/hid.ts': 'export const hiddenTar = 0;\n',
  });
  commitAt(paints, '2025-01-02T00:00:00Z', 'Mix green', {
    'src/mix.ts': paint('mixGreen') + paint('mixRed') + paint('mixBlue', ' // thin'),
    'src/brush set.ts': paint('dipBrush', ' // deep'),
    'src/a "wide" brush.ts': paint('dipWide', ' // wide'),
    'src/ta\tb größe.ts': paint('dipTab', ' // tab'),
    'src/shades.ts': `${lines}${paint('lateShade')}${lines}`,
    'src/marks.ts': `${`// ${'é'.repeat(15)}\n`.repeat(60)}${paint('addAccent')}`,
    'src/hid.ts': '',
  });
  mkdirSync(join(paints.folder, 'lib'));
  paints.git('mv', 'src/mix.ts', 'lib/mix.ts');
  commitAt(paints, '2025-01-03T00:00:00Z', 'Blend', { 'src/hid.ts': forging });
  commitAt(paints, '2025-01-04T00:00:00Z', 'Remove the tar', { 'src/hid.ts': '\n' });
  await advisor.projecting.add(paints.folder);
  await advisor.projecting.add(code.folder);
  await advisor.projecting.add(shipyard.folder);
});
afterAll(() => advisor.close());

async function answerTo(prompt: string): Promise<string> {
  return (await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking)).answer;
}

/** Returns the changes that the text for an agent shows, each with its place at the commit. */
async function changesFor(prompt: string): Promise<readonly string[]> {
  const { text } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
  const sources = text.split(/^(?=\[\d+\] )/mu).slice(1);
  return sources.filter((source) => source.includes('\n\t@@ '));
}

it.each(['When was `layKeel` removed?', 'Why is layKeel gone?', 'What happened to layKeel?'])(
  'finds the commit that removed what no file has any more: %s',
  async (prompt) => {
    const answer = await answerTo(prompt);
    expect(answer).toMatch(/^Last commit that removed `layKeel`: .*“Tidy up”/u);
    expect(await changesFor(prompt)).toEqual([
      expect.stringMatching(
        /^\[2\] `\S+\/src\/hull\.ts@[0-9a-f]{12}:1`\n\t@@ -1,2 \+1 @@\n\t-export function layKeel/u,
      ),
    ]);
    expect(answer).toContain('Nobody builds by hand any more.');
  },
);

it('answers why a change was made that the question before asks for', async () => {
  const question = 'When was `layKeel` removed?';
  const { citations } = await ask(advisor.deps, advisor.projecting.scope, { prompt: question }, asking);
  const followUp = { prompt: 'and why?', thread: [{ question, citations }] };
  const { answer } = await ask(advisor.deps, advisor.projecting.scope, followUp, asking);
  expect(answer).toMatch(/^Last commit that removed `layKeel`: .*“Tidy up”/u);
  expect(answer).toContain('Nobody builds by hand any more.');
});

it('finds the commit that added a name', async () => {
  expect(await answerTo('When was stepMast added?')).toMatch(
    /^Possible: Oldest known commit that added `stepMast` at `\S+hull\.ts:1` \[1\]: .*\(2025-02-01, .*“Rig the ship”/u,
  );
});

it('does not say that a commit is the first one after one that is too large to be read', async () => {
  const answer = await answerTo('When was TAR_POT added?');
  expect(answer).toMatch(/^Possible: Oldest known commit that added `TAR_POT`: .*“Caulk the hull”/u);
});

it('finds the commit that added a definition in a commit that is too large to be read, as possible', async () => {
  expect(await answerTo('When was caulk() added?')).toMatch(
    /^Possible: Oldest known commit that added `caulk` at `\S+\/src\/z-caulk\.ts:1` \[1\]: .*“Import all”/u,
  );
});

it('finds the commit that added a definition, and not another one of its name or a use', async () => {
  expect(await answerTo('Which commit added Deck.swab?')).toMatch(
    /^Possible: Oldest known commit that added `Deck\.swab` at `\S+\/src\/planks\.ts:2` \[1\]: .*“Plank the deck”/u,
  );
});

it('reads the lines of a file that was renamed later, and not those of other files', async () => {
  const answer = await answerTo('When was `Oar.feather` added?');
  expect(answer).toMatch(/^Possible: Oldest known commit that added `Oar\.feather` at [^\n]*“Feather oars”/u);
  expect(await changesFor('When was `Oar.feather` added?')).toEqual([
    expect.stringMatching(/^\[\d\] `\S+\/src\/row\.ts@\S+`\n(?:\t.*\n)*\t\+ {2}feather\(\): void \{\}$/mu),
  ]);
});

it('does not state a commit as certain if the former path of its file is not known', async () => {
  const { sources } = advisor.deps;
  const readHistory: typeof sources.readHistory = async (...request) => {
    const history = await sources.readHistory(...request);
    return (
      history && { ...history, commits: history.commits.map((one) => ({ ...one, followed: 'src/keel.ts' })) }
    );
  };
  const deps = { ...advisor.deps, sources: { ...sources, readHistory } };
  const prompt = 'When was `Oar.feather` added?';
  const { answer } = await ask(deps, advisor.projecting.scope, { prompt }, asking);
  expect(answer).toMatch(/^Possible: Oldest known/u);
});

it.each([
  ['When was hoistFlag added?', 'hoistFlag', 'Move the flag', 'src/cabin.ts'],
  ['When was the Capstan class added?', 'Capstan', 'Move the capstan', 'src/drum.ts'],
  ['When was `Capstan` first added?', 'Capstan', 'Move the capstan', 'src/drum.ts'],
  ['When was Winch.crank added?', 'Winch.crank', 'Move winches', 'src/winch.ts'],
])(
  'says from which file a commit moved a definition, and not that it is the first: %s',
  async (prompt, name, subject, from) => {
    const answer = await answerTo(prompt);
    expect(answer).toMatch(
      new RegExp(`^Possible: Oldest known commit that added \`${name}\` at [^\n]*“${subject}”`, 'u'),
    );
    const last = unqualified(name);
    expect(await changesFor(prompt)).toEqual([
      expect.stringMatching(new RegExp(`^\t\\+.*${last}`, 'mu')),
      expect.stringMatching(new RegExp(`^\\[\\d\\] \`\\S+/${from}@[^]*\n\t-.*${last}`, 'u')),
    ]);
  },
);

it('finds the first commit of a member, and not that of another type in its file', async () => {
  expect(await answerTo('When was WatchBell.strike added?')).toMatch(
    /^Possible: Oldest known commit that added `WatchBell\.strike` at [^\n]*“Ring twice”/u,
  );
});

it('says that older commits were not compared if there are too many', async () => {
  const { sources } = advisor.deps;
  const readHistory: typeof sources.readHistory = async (...request) => {
    const history = await sources.readHistory(...request);
    return history && { ...history, more: true };
  };
  const deps = { ...advisor.deps, sources: { ...sources, readHistory } };
  const prompt = 'When was stepMast added?';
  const { answer } = await ask(deps, advisor.projecting.scope, { prompt }, asking);
  expect(answer).toMatch(/^Possible: Oldest known commit that added `stepMast` at /u);
  expect(answer).toContain('Older commits were not compared.');
});

it('ends a search of histories for a removed name that takes too long', async () => {
  const { sources } = advisor.deps;
  const readHistory: typeof sources.readHistory = async (scope, request, signal) => {
    if (request.text !== undefined)
      await new Promise((_, reject) => signal.addEventListener('abort', reject));
    return sources.readHistory(scope, request, signal);
  };
  const after = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => after(ms === 5_000 ? 50 : ms));
  const deps = { ...advisor.deps, sources: { ...sources, readHistory } };
  const prompt = 'When was layDeck removed?';
  const { answer } = await ask(deps, advisor.projecting.scope, { prompt }, asking);
  spy.mockRestore();
  expect(answer).not.toContain('no commit of `layDeck`');
}, 10_000);

it('finds a removed line that looks like the head of a file', async () => {
  expect(await changesFor('When was careen_hull removed?')).toEqual([
    expect.stringMatching(/^\[\d\] `\S+\/src\/dock\.sql@[^]*\n\t--- careen_hull/u),
  ]);
});

it('finds the commit that removed the code of a name that comments have', async () => {
  expect(await answerTo('Which commit removed spinHemp?')).toMatch(
    /^Last commit that removed `spinHemp`: .*“Buy hemp”/u,
  );
});

it('finds the commit that removed an argument, and not one of its class', async () => {
  expect(await answerTo('Which commit removed the threads argument from ship.Sail?')).toMatch(
    /^Last commit that removed `threads`: .*“Sew by hand”/u,
  );
});

it('finds the commit that removed a definition before a large one that only removed it from documents', async () => {
  expect(await answerTo('When and why was pitchSeam removed?')).toMatch(
    /^Last commit that removed `pitchSeam`: .*“Let oakum do”/u,
  );
});

it('states no removal as sure of what code still has', async () => {
  expect(await answerTo('When was Cabin.swab removed?')).toMatch(/^(?:Possible|Defined): /u);
});

it('does not state the change of a longer name', async () => {
  const answer = await answerTo('When was `hemp` deprecated?');
  expect(answer).toMatch(/^Possible: .*“Buy hemp”/u);
  expect(answer).not.toContain('hempRopes');
});

it('says that a name was never there', async () => {
  expect(await answerTo('When was layDeck removed?')).toMatch(
    /^No definition, no use and no commit of `layDeck` exists in /u,
  );
});

it('begins with the last change of a file, and says that a time was not read', async () => {
  expect(await answerTo('What changed last in src/hull.ts?')).toMatch(
    /^Last change of `\S+hull\.ts` \[1\]: .*“Tidy up”/u,
  );
  const answer = await answerTo('What changed in src/hull.ts since 1.0.0?');
  expect(answer).toMatch(/^Possible: Last change of `\S+hull\.ts` \[1\]: .*“Tidy up”/u);
  expect(answer).toContain('The time in the question was not read');
});

it('states a commit by its id, whichever repository has it', async () => {
  const id = shipyard.git('rev-parse', 'HEAD~3').trim();
  const short = id.slice(0, 12);
  for (const prompt of [
    `what changed in commit ${short}`,
    `Who wrote commit ${id}?`,
    `What changed in commit ${short} in ${basename(code.folder)}?`,
    `show me ${short}, please`,
  ])
    expect(await answerTo(prompt)).toMatch(
      new RegExp(`^\`\\S+\` \`${id.slice(0, 12)}\` .*“Rename the oar”`, 'u'),
    );
});

it.each([
  'what changed in commit 0123abcd4567',
  'What changed in commit deadbee?',
  'Why was 0123abcd4567 made?',
])('states nothing else for a commit that does not exist: %s', async (prompt) => {
  const { answer, notFound } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
  expect(answer).toMatch(/^Not found: no commit `\w+` in 3 repositories\.\n*$/u);
  expect(notFound).toBe(true);
});

it('takes the id of a request for a word', async () => {
  const answer = await answerTo('Why was hull 0123abcd4567 caulked twice?');
  expect(answer).toMatch(/“Caulk the hull”/u);
  expect(answer).not.toContain('no commit');
});

it.each([
  ['Who changed lines 1-2 of src/flag.ts and why?', 'flag', 'Move the flag'],
  ['Who changed src/cabin.ts:1-2 and why?', 'cabin', 'Hoist the flag'],
  ['Who last changed src/cabin.ts lines 1-2 and why?', 'cabin', 'Hoist the flag'],
  ['Which commit changed https://git.example/ship/blob/main/src/cabin.ts#L1-L2?', 'cabin', 'Hoist the flag'],
])('states the commits of lines, and not the last one of their file: %s', async (prompt, file, subject) => {
  const answer = await answerTo(prompt);
  expect(answer).toMatch(
    new RegExp(`^Last change of \`\\S+/src/${file}\\.ts:1-2\` \\[1\\]: .*“${subject}”`, 'u'),
  );
  expect(answer).toMatch(new RegExp(`\`history address=\\S+/src/${file}\\.ts:1-2\``, 'u'));
});

it('shows of the last commit of lines the hunks that wrote them, and of a removed file what it removed', async () => {
  expect(await changesFor('Who changed src/mill.ts:20-21, and why?')).toEqual([
    expect.stringMatching(
      /^\[\d\] `\S+\/src\/mill\.ts@[0-9a-f]{12}:17-22`\n\t@@ [^\n]*\n(?: *\t[^+-].*\n)*\t-const sail20 = 1;\n\t\+const sail20 = 2;\n/u,
    ),
  ]);
  expect(await answerTo('Who changed src/mill.ts:20-21, and why?')).not.toContain('sail2 ');
  const [removed = ''] = await changesFor('When was grindFlour removed?');
  const [, address = ''] = /^\[\d\] `(\S+\/src\/flour\.ts@[0-9a-f]{12}:1-2)`/u.exec(removed) ?? [];
  expect(removed).toContain('\n\t-export function grindFlour(): void {}\n');
  const parent = shipyard.git('rev-parse', '--short=12', 'HEAD~1').trim();
  expect(address).toContain(`@${parent}:`);
});

it.each([
  ['When was mixBlue last changed?', ['src/mix.ts@%:1-9', '+  return 1; // thin']],
  ['What was the last change of dipBrush?', ['brush set.ts@%:1-3', '+  return 1; // deep']],
  ['What was the last change of dipWide?', ['"wide" brush.ts@%:1-3', '+  return 1; // wide']],
  ['What was the last change of dipTab?', ['?ref=%#L1-L3', '+  return 1; // tab']],
  ['When was lateShade added?', ['shades.ts@%:88-', '…', '+export function lateShade(): number {']],
  ['When was addAccent added?', ['marks.ts@%:58-', '…', '+export function addAccent(): number {']],
  ['When was hiddenTar removed?', ['hid.ts@%:1`', '-export const hiddenTar = 1;']],
])('shows the change that is asked for, and its lines: %s', async (prompt, [place = '', ...lines]) => {
  const [shown = '', ...others] = await changesFor(prompt);
  expect(shown).toMatch(new RegExp(place.replace(/[?.]/gu, '\\$&').replace('%', '[0-9a-f]{12}'), 'u'));
  for (const line of lines) expect(shown).toContain(`\n\t${line}`);
  expect(others).toEqual([]);
});

it('shows what a commit changed in the file that a question about its id names', async () => {
  const id = paints.git('rev-parse', '--short=12', 'HEAD~2').trim();
  const changes = await changesFor(`What did commit ${id} change in src/shades.ts?`);
  expect(changes).toEqual([expect.stringContaining(`/src/shades.ts@${id}:`)]);
});

it('names those who wrote lines, and says that a file lacks some', async () => {
  const answer = await answerTo('Who wrote src/cabin.ts:1-2?');
  expect(answer).toMatch(/^Most commits in `\S+\/src\/cabin\.ts:1-2`/u);
  expect(answer).toContain('“Hoist the flag”');
  expect(answer).toMatch(/`history address=\S+\/src\/cabin\.ts:1-2`/u);
  expect(await answerTo('Who changed src/cabin.ts:900-950?')).toMatch(
    /^No commit of `\S+\/src\/cabin\.ts:900-950` can be read/u,
  );
});

it('tells quickly what added a member to a type beside many uses of it', async () => {
  const bell = createRepository();
  const uses = '    ringBell(1);\n'.repeat(3_000);
  commitAt(bell, '2025-01-01T00:00:00Z', 'Hang the bell', {
    'src/bell.ts': `export class Bell {\n  ringBell(a: number): void {}\n}\nexport function toll() {\n${uses}}\n`,
  });
  await advisor.projecting.add(bell.folder);
  const started = process.cpuUsage();
  expect(await answerTo(`When was Bell.ringBell added in ${basename(bell.folder)}?`)).toMatch(
    /“Hang the bell”/u,
  );
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(10_000);
});
