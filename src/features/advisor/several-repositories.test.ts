import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asking, type OpenedAdvisor, openAdvisor } from '../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { ask } from './ask.ts';

const mooring = (name: string, more = ''): string =>
  `/** Moors a ship with a rope at a berth and checks the rope. */\nexport function ${name}(ship: string): string {\n  const rope = ship + 'rope';\n${more}  return rope;\n}\n`;
const manifest = (name: string, dependencies: Readonly<Record<string, string>>): string =>
  JSON.stringify({ name, dependencies }, undefined, 2);

/** The files of each repository. Those of `harbour` fit each question about mooring several times. */
const files = {
  harbour: {
    'package.json': manifest('@acme/harbour-kit', {}),
    'src/moor.ts': `${mooring('moorShip')}${mooring('moorBarge')}${mooring('moorFerry')}${mooring('moorRope')}`,
  },
  ferry: {
    'package.json': manifest('ferry', { '@acme/harbour-kit': '^2.1.0', tiller: '^4.2.0' }),
    'test/dock.test.ts': '// The ferry is still at the pier.\n',
    'src/dock.ts': mooring('dockFerry', '  // Ferries are moored by their bow.\n'),
  },
  barge: {
    'package.json': manifest('barge', { '@acme/harbour-kit': '~1.4.0', tiller: '5.0.1', winch: '1.0.0' }),
    ...Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [
        `decks/d${at}/package.json`,
        manifest(`d${at}`, { windlass: `${at}.0.0` }),
      ]),
    ),
    'src/tow.ts': '/** Tows a barge along the canal. */\nexport function towBarge(): void {}\n',
  },
  acme_skiff: {
    'pyproject.toml':
      '[project]\nname = "acme-skiff"\nrequires-python = ">=3.9"\ndependencies = ["rowlock>=1.2"]\n',
  },
};

let advisor: OpenedAdvisor;
beforeAll(async () => {
  advisor = await openAdvisor();
  for (const [name, content] of Object.entries(files)) {
    const folder = join(temporaryFolder(), name);
    symlinkSync(createRepository(content).folder, folder);
    await advisor.projecting.add(folder);
  }
});
afterAll(() => advisor.close());

const askFor = (prompt: string) => ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
const leadOf = (answer: string): string => answer.split('\n\n', 1)[0] ?? '';

describe('repositories that are compared', () => {
  it.each([
    'Compare how harbour and ferry moor a ship with a rope.',
    'how do ferry, and harbour moor a ship with a rope?',
    'difference between harbour vs ferry when a ship is moored with a rope?',
  ])('each give their best passage first, and the first line names both: %s', async (prompt) => {
    const { answer, citations, perRepository } = await askFor(prompt);
    const first = citations.slice(0, 2);
    expect(new Set(first.map(({ repository }) => repository))).toEqual(new Set(['harbour', 'ferry']));
    for (const { path } of first) expect(leadOf(answer)).toContain(path);
    expect(citations.every(({ repository }) => repository !== 'barge')).toBe(true);
    expect(perRepository).toHaveLength(2);
    expect(answer).not.toContain('Nothing near in');
    expect(answer).not.toContain('last changed');
  });

  it('are named with their best place in the first line of an answer about every repository', async () => {
    const { answer } = await askFor('Which of our repositories moor a ship with a rope?');
    expect(leadOf(answer)).toContain('harbour/src/moor.ts');
    expect(leadOf(answer)).toContain('ferry/src/dock.ts');
    expect(leadOf(answer)).not.toContain('barge');
  });

  it('are said to have nothing near only if they have no such passage', async () => {
    const { answer } = await askFor('How do harbour, ferry and barge moor a ship with a rope?');
    expect(answer).toContain('Nothing near in: `barge`.');
  });
});

describe('repositories that use a package', () => {
  it.each([
    ['Which of our repositories depend on tiller?', /^Manifests of 4 repositories have `tiller` in 2 \(`/u],
    ['who uses tiller and in which version?', /`barge\/package\.json:5`: `"tiller": "5\.0\.1"/u],
    ['Which repositories use tiller 4?', /`ferry\/package\.json:5`: `"tiller": "\^4\.2\.0"/u],
    ['which of our repos pull in winch, and which pull in tiller?', /`winch` in 1 \(`barge`\)/u],
    ['Which repositories use tiller and capstan?', /have `tiller` in 2/u],
  ])('are those whose manifests ask for it, with version and line: %s', async (prompt, expected) => {
    expect((await askFor(prompt)).answer).toMatch(expected);
  });

  it.each([
    ['Does ferry use tiller?', /^`ferry\/package\.json:5`: `"tiller": "\^4\.2\.0"/u],
    ['Which version of tiller does barge need?', /^`barge\/package\.json:5`: `"tiller": "5\.0\.1"/u],
    [
      'which version of rowlock does skiff need?',
      /^`acme_skiff\/pyproject\.toml:4`: `depen[^\n]*rowlock>=1\.2/u,
    ],
    [
      'Which version of Python does skiff need?',
      /`acme_skiff\/pyproject\.toml:3`: `requires-python = ">=3\.9"`/u,
    ],
  ])('are read from the manifests of the repository that a question names: %s', async (prompt, expected) => {
    expect((await askFor(prompt)).answer).toMatch(expected);
  });
});

it('does not look for the word that asks to compare', async () => {
  expect((await askFor('Compare harbour and ferry.')).answer).not.toContain('file has');
});

it('names no word that the ranked passages lack and another file has', async () => {
  const { answer } = await askFor('How does ferry still moor a ship with a rope?');
  expect(answer).not.toMatch(/No .*file.* has/u);
});
