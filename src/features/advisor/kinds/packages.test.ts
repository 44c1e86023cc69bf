import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asking, type OpenedAdvisor, openAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { AdvisorDeps } from '../advisor-deps.ts';
import { ask } from '../ask.ts';

/** Manifests that ask for as many packages of one name as are read. */
function manifestsWith(name: string, versionOf: (at: number) => string): Readonly<Record<string, string>> {
  const manifests = Array.from({ length: 8 }, (_, folder) => {
    const asks = Array.from({ length: 2_000 }, (_each, at) => [
      `@a${at}/${name}`,
      versionOf(2_000 * folder + at),
    ]);
    return [
      `d${folder}/package.json`,
      JSON.stringify({ dependencies: Object.fromEntries(asks) }, undefined, 1),
    ];
  });
  return Object.fromEntries(manifests);
}

let advisor: OpenedAdvisor;
beforeAll(async () => {
  advisor = await openAdvisor();
  const files = {
    raft: {
      'package.json': JSON.stringify(
        {
          devDependencies: {
            '@types/pitch': '^24.3.0',
            '@types/node': '^26.0.0',
            '@raft/tar': '2.0.0',
            'sail-cloth': '1.0.0',
          },
          engines: { node: '>=22.1' },
        },
        undefined,
        1,
      ),
      'rope.py': 'class Rope:\n    pass\n\n\ndef tie():\n    return Rope()\n',
      'a/package.json': JSON.stringify({ devDependencies: { '@types/node': '^20.0.0' } }),
      'a/sail.ts': "import { Hull as HullBase } from './hull';\n",
    },
    gig: { 'requirements.txt': 'pytest==8.4.1\nruff==0.12.11\n' },
    skiff: {
      'go.mod': 'module example.com/skiff\n\ngo 1.25.0\n\nrequire github.com/json-iterator/go v1.1.12\n',
      'requirements.txt': 'raft==1.0.0\ngig==2.0.0\n',
      'rope.py': 'class Rope:\n    pass\n\n\ndef tie():\n    return Rope()\n',
    },
    scow: manifestsWith('oakum', (at) => `1.${at}.0`),
    punt: manifestsWith('hemp', () => '1.0.0'),
  };
  for (const [name, content] of Object.entries(files)) {
    const folder = join(temporaryFolder(), name);
    symlinkSync(createRepository(content).folder, folder);
    await advisor.projecting.add(folder);
  }
});
afterAll(() => advisor.close());

/** Returns the advisor with searches that no load of the machine cuts short. */
function unhurried(): AdvisorDeps {
  const { codeSearch } = advisor.deps;
  const search: typeof codeSearch.search = (scope, request, ...rest) =>
    codeSearch.search(scope, { ...request, processorMs: 60_000, deadlineMs: 60_000 }, ...rest);
  return { ...advisor.deps, codeSearch: { ...codeSearch, search } };
}

/** Returns the least processor times of two questions, which are asked in turns. */
async function costsOf(...prompts: readonly [string, string]): Promise<number[]> {
  const deps = unhurried();
  const costs = prompts.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < 5; run += 1)
    for (const [index, prompt] of prompts.entries()) {
      const before = process.cpuUsage();
      const { answer } = await ask(deps, advisor.projecting.scope, { prompt }, asking);
      costs[index] = Math.min(costs[index]!, process.cpuUsage(before).user / 1_000);
      expect(answer).toMatch(/`"@a0\/(?:oakum|hemp)": "1\.0\.0"/u);
    }
  return costs;
}

it('takes the types of a package for no version of it', async () => {
  const answerTo = async (prompt: string): Promise<string> =>
    (await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking)).answer;
  expect(await answerTo('Which version of tar does raft need?')).toContain('`"@raft/tar": "2.0.0"');
  expect(await answerTo('Which version of node does raft need?')).toMatch(
    /^`raft\/package\.json:\d+`: `"node": ">=22\.1"`/u,
  );
  expect(await answerTo('Which version of pitch does raft need?')).toContain('`"@types/pitch": "^24.3.0"');
});

it.each([
  ['Which version of Go does skiff need?', /^`skiff\/go\.mod:3`: `go 1\.25\.0` \[1\]/u],
  [
    'Which versions of Go and Node do skiff and raft need?',
    /^`skiff\/go\.mod:3`[^]*\n- `raft\/package\.json:\d+`: `"node": ">=22\.1"`/u,
  ],
  ['Which Golang version does skiff need?', /^`skiff\/go\.mod:3`: `go 1/u],
  ['what uses Rope in skiff', /^Uses of `Rope` at `skiff\/rope\.py:1-2`: 1 certain/u],
  ['what uses Rope in raft', /^Uses of `Rope` at `raft\/rope\.py:1-2`: 1 certain/u],
  ['does skiff use gig', /^`skiff\/requirements\.txt:2`: `gig==2\.0\.0`/u],
  ['what uses gig', /^Manifests of 5 repositories have `gig` in 1 \(`skiff`\)\./u],
])('tells a package, a language and a definition apart: %s', async (prompt, expected) => {
  const { answer } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
  expect(answer).toMatch(expected);
});

it.each([
  [
    'Which classes implement Hull in raaft?',
    /^No searchable repository is called `raaft`\. The nearest name is `raft`\./u,
  ],
  ['Who calls caulk in boat-yard?', /^No searchable repository is called `boat-yard`\./u],
  ['Who calls caulk in the harbour repository?', /^No searchable repository is called `harbour`\./u],
  ['How does lugger/caulk dispatch sails?', /^No searchable repository is called `lugger\/caulk`\.\n/u],
  ['Where is caulk done in lugger/caulk?', /^No searchable repository is called `lugger\/caulk`\./u],
  ['When did lugger/scoww caulk?', /^No searchable repository is called `lugger\/scoww`\./u],
  ['dependencies of the puntt repository', /^No searchable repository is called `puntt`/u],
])('says that a repository does not exist: %s', async (prompt, expected) => {
  const { answer, notFound } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
  expect(answer).toMatch(expected);
  expect(notFound).toBe(true);
});

it.each([
  'Who calls caulk in Go?',
  'Who calls caulk in d0?',
  'Who calls caulk in dependencies?',
  'What does raft use from pitch?',
  'Who calls caulk in HullBase?',
  'Who calls caulk in sail-cloth?',
  'How does lugger/scow dispatch?',
  'How does a/sail dispatch?',
  'How does dependencies/hemp dispatch?',
  'How does the lugger/caulk protocol work?',
  'How does lugger/caulk.ts dispatch?',
])(
  'takes a language, a folder, a package, a word of many repositories, a source and a name in code for none: %s',
  async (prompt) => {
    const { answer } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
    expect(answer).not.toContain('No searchable repository is called');
  },
);

it.each([
  ['Which version of oakum does scow need?', 'Which version of hemp does punt need?'],
  ['Which repositories use oakum?', 'Which repositories use hemp?'],
])('reads many versions of a package in about the time of one: %s', async (many, one) => {
  const [costOfMany = 0, costOfOne = 0] = await costsOf(many, one);
  expect(costOfMany).toBeLessThan(4 * costOfOne);
});
