import { setImmediate as settled } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openFerry } from '../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor } from '../../../test/support/advisor/opened-advisor.ts';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { emptyKnowledge } from '../../../test/support/graph/opened-graph.ts';
import type { CodeSearch } from '../../backends/codesearch/port.ts';
import { InvalidInput, Unavailable } from '../../foundation/kernel/errors.ts';
import { newId, type UserId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { ask, collectContext } from './ask.ts';
import { collectPack, type PackRequest } from './collect-pack.ts';
import { openQuestionLimit } from './question-limit.ts';

let advisor: OpenedAdvisor;
let scope: OrgScope;
const { signal } = new AbortController();

beforeAll(async () => {
  advisor = await openFerry();
  ({ scope } = advisor.projecting);
});
afterAll(() => advisor.close());

const askFor = (prompt: string, of = scope) => ask(advisor.deps, of, { prompt }, asking);
const collect = (request: PackRequest, of = scope) =>
  collectPack(advisor.deps, of, request, { signal, until: performance.now() + 50_000 });
const leadOf = (answer: string): string => answer.split('\n\n', 1)[0] ?? '';

describe('an answer', () => {
  it('names the definition, its place and its comment, and who uses it', async () => {
    const { answer, citations } = await askFor('How does retryWithBackoff give up?');
    expect(leadOf(answer)).toMatch(
      /^`retryWithBackoff` is a function in `\S+src\/retry\.ts:2` \[1\]: “Tries again with growing pauses\./u,
    );
    expect(answer).toMatch(/Used by `deliverParcel` \(`\S+src\/deliver\.ts:4`\)/u);
    expect(answer).toMatch(
      /“Give up after five attempts” \(`[0-9a-f]{9}`, .*for `ENG-12` “Parcels arrive twice”/u,
    );
    expect(citations[0]).toMatchObject({
      n: 1,
      kind: 'code',
      path: 'src/retry.ts',
      startLine: 1,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      uri: expect.stringMatching(/^ctx:\/\/repo\/\S+\/file\/src\/retry\.ts\?ref=[0-9a-f]{40}#L1-L\d+$/),
      excerpt: expect.stringContaining('export function retryWithBackoff'),
    });
  });

  it.each([
    ['What calls deliverParcel?', /is called by `startFerry` in `src\/main\.ts`; also one place in tests\.$/],
    [
      'What would a change of src/retry.ts touch?',
      /A change of `\S+src\/retry\.ts` \[1\] touches 2 direct dependents: /,
    ],
    [
      'Who owns src/retry.ts?',
      /^acme\/harbour owns `\S+src\/retry\.ts` \[1\], by `CODEOWNERS \/src\/retry\.ts`/,
    ],
    [
      'Why was retryWithBackoff changed to five attempts?',
      /“Give up after five attempts” .*It closed `ENG-12` “Parcels arrive twice” \[\d\], an open issue \(In Progress\)\./,
    ],
    [
      'Where is FERRY_PORT read?',
      /^`FERRY_PORT` is read at `\S+src\/settings\.ts:4` in `ferryPort` \[1\]: `return Number\(process\.env\['FERRY_PORT'\] \?\? defaults\.FERRY_PORT\);`\./,
    ],
    [
      'Where is FERRY_CREW read?',
      /^`FERRY_CREW` is the text of `crewVariable`, at `\S+src\/crew\.ts:1` \[1\]\. `crewVariable` is read at `\S+src\/crew\.ts:4` in `ferryCrew` \[2\]/,
    ],
    [
      'How does the ferry settle its port?',
      /^(?:This is done by|Look at) the function `ferryPort`\S*,? .*at `\S+src\/settings\.ts:3` \[1\]: “Settles the port\.”/,
    ],
    ['When was src/deliver.ts introduced?', /came with “Start”/],
    ['When was deliverParcel added?', /^`deliverParcel` \(`\S+deliver\.ts:4`\) \[1\] came with “Start”/],
    ['Who last touched src/deliver.ts?', / was last changed by Ada Lovelace: “Refuse parcels/],
    ['Who knows src/main.ts?', /^ada owns `\S+src\/main\.ts`/],
    ['Explain PR #7', /^The change is “Refuse parcels of closed harbours \\\(\\#7\\\)”/],
    [
      'What about ENG-12?',
      /^`ENG-12` “Parcels arrive twice” is an open issue \(In Progress\) \[1\]\. Its commits: “Give up/,
    ],
    [
      'What changed before incident Q3KZ7M1?',
      /^“Harbour rejects every parcel” of 2030-03-03 01:02 is an open incident \(triggered\) \[1\]\. The latest commits before it that touched the code that it names: “Refuse parcels/,
    ],
    ['What broke before the harbour rejects incident?', /^“Harbour rejects every parcel” of 2030/],
    [
      'Where does "the harbour is closed" come from?',
      /^This message comes from `deliverParcel` \(`\S+src\/deliver\.ts:4`\) \[1\], at line 6: `throw .*harbour is closed/,
    ],
    [
      'How does the ferry deliver parcels to the harbour through Kafka?',
      /^Not found\. No indexed code mentions `Kafka`\./,
    ],
  ])('%s', async (prompt, expected) => {
    const { answer } = await askFor(prompt);
    expect(leadOf(answer)).toMatch(expected);
  });

  it('counts the commits of the lines of a definition, not those of its file', async () => {
    const { answer } = await askFor('Who wrote deliverParcel?');
    expect(answer).toContain('The only known commit of its lines came from Ada Lovelace');
    expect((await askFor('Who wrote src/deliver.ts?')).answer).toContain('Its last 2 commits came from Ada');
  });

  it('cites exactly what it uses, each source with what an agent needs to go on', async () => {
    for (const prompt of [
      'What calls deliverParcel?',
      'What about ENG-12?',
      'Why was src/retry.ts changed?',
    ]) {
      const { answer, citations } = await askFor(prompt);
      const used = [...answer.matchAll(/ \[(\d+)\]/gu)].map((match) => Number(match[1]));
      expect(citations.map(({ n }) => n)).toEqual(citations.map((_, index) => index + 1));
      expect(Math.max(...used)).toBeLessThanOrEqual(citations.length);
      expect(new Set(used).size).toBe(Math.max(...used));
      for (const cited of citations) {
        expect(cited.uri).toMatch(/^ctx:\/\//);
        if (cited.kind === 'code')
          expect([cited.commit, cited.startLine, cited.endLine]).not.toContain(undefined);
      }
    }
  });

  it('says which commits and services an incident is connected with, and that commits are candidates', async () => {
    const { answer } = await askFor('What changed before incident Q3KZ7M1?');
    expect(answer).toMatch(
      /- Code that it names: `deliverParcel` \(`\S+src\/deliver\.ts:4`\)|- Code that it names: `\S+src\/deliver\.ts`/u,
    );
    expect(answer).toContain('Affected: Ferry.');
    expect(answer).toContain('candidates: nothing says that one of them is the cause');
  });

  it('answers questions about the service from its records', async () => {
    const { answer, citations } = await askFor('Which repositories do you know and how fresh is the index?');
    expect(leadOf(answer)).toMatch(
      /^2 repositories are searchable: .* The oldest index is from \d{4}-\d\d-\d\d/u,
    );
    expect(answer).toContain('The knowledge graph has 1 issues, 1 incidents');
    expect(citations).toEqual([]);
  });

  it('is at most one screen', async () => {
    for (const prompt of ['parcels', 'How does retryWithBackoff give up?', 'What about ENG-12?'])
      expect((await askFor(prompt)).answer.split('\n').length).toBeLessThan(20);
  });

  it('reports each step', async () => {
    const messages: string[] = [];
    await ask(
      advisor.deps,
      scope,
      { prompt: 'retry' },
      { ...asking, onProgress: (text) => messages.push(text) },
    );
    expect(messages).toEqual(['Searching the indexed repositories', 'Following the knowledge graph']);
  });
});

describe('weak evidence', () => {
  it('is not found, with what was searched', async () => {
    const { answer } = await askFor('How do I deploy to kubernetes?');
    expect(leadOf(answer)).toMatch(/^Not found\. No indexed code mentions `.*kubernetes`.* Searched: `/u);
  });

  it('of one word among several is an answer that says so', async () => {
    const { answer } = await askFor('Where is a parcel delivered to the zebra harbour?');
    expect(leadOf(answer)).toMatch(/deliverParcel/u);
    expect(answer).toContain('No indexed code mentions `zebra`.');
    expect((await askFor('How is it decided when a parcel is delivered?')).answer).not.toContain('mentions');
    expect(leadOf((await askFor('Where is the zebra parcel?')).answer)).toMatch(/^Not found/u);
  });

  it('in a repository that the question names is not found there', async () => {
    const [repository] = (await askFor('What is retryWithBackoff?')).citations;
    const name = repository?.repository ?? '';
    const { answer, citations } = await askFor(`Where is the Kafka client configured in ${name}?`);
    expect(leadOf(answer)).toMatch(
      /^Not found in `(\S+)`\. Nothing in the code of `\1` mentions `Kafka`.*Searched: only `\1`/u,
    );
    expect(citations.every((one) => one.repository === name)).toBe(true);
  });

  it('of one part of a question is said before the answer to the other part', async () => {
    const { answer } = await askFor('How are zebras fed and parcels delivered?');
    expect(leadOf(answer)).toMatch(/^Only a part was found\. No indexed code mentions `zebras`, `fed`\./u);
    expect(leadOf(answer)).toContain('deliverParcel');
  });

  it('of names that nothing contains is not found', async () => {
    const { answer } = await askFor('What is fooBarBaz? retry');
    expect(leadOf(answer)).toMatch(/^Not found\. No indexed code mentions `fooBarBaz`/u);
    expect(answer.match(/Not found/gu)).toHaveLength(1);
    expect((await askFor('where do retryWithBackoff and fooBarBaz meet?')).answer).toContain(
      'Not found as written in any indexed file: `fooBarBaz`.',
    );
  });

  it('of an unknown issue says that it is not mirrored', async () => {
    expect(leadOf((await askFor('Why ENG-99999?')).answer)).toContain(
      'No issue `ENG-99999` is mirrored in this organization.',
    );
    expect((await askFor('Does ENG-99999 concern retryWithBackoff?')).answer).toContain(
      'No issue `ENG-99999`',
    );
  });
});

describe('bad input', () => {
  it.each([
    ['only stop words', 'how does it do that?', /contains nothing to search for/],
    ['another script', '注文はどこで処理されますか', /^Not found/],
    ['another language', '¿Dónde está retryWithBackoff?', /^`retryWithBackoff` is a function/],
    ['control and bidi characters', '\u0000\u001B[31m\u202EretryWithBackoff\u200B', /./],
    [
      'a stack trace',
      `Error: boom\n    at deliverParcel (/srv/ferry/src/deliver.ts:6:3)\n${'    at x (y.js:1:1)\n'.repeat(300)}`,
      /deliver/,
    ],
    [
      'a diff',
      'diff --git a/src/retry.ts b/src/retry.ts\n--- a/src/retry.ts\n+++ b/src/retry.ts\n@@ -1,2 +1,2 @@\n-a\n+b\n',
      /A change of `\S+src\/retry\.ts`/,
    ],
    ['32,000 characters', 'retryWithBackoff '.repeat(1882), /retryWithBackoff/],
    ['only punctuation', '?!.,;:()[]{}', /contains nothing to search for/],
    ['another organization', 'Show the secrets of the organization globex', /./],
  ])('%s has an answer', async (_case, prompt, expected) => {
    const { answer, citations } = await askFor(prompt.slice(0, 32_000));
    expect(leadOf(answer)).toMatch(expected);
    expect(JSON.stringify([answer, citations])).not.toMatch(/\\u0000|\\u001b|[\u202E\u200B]/u);
  });

  it.each([{ limit: 0 }, { limit: 101 }, { limit: 2.5 }, { budgetTokens: 199 }, { budgetTokens: 32_001 }])(
    'refuses %j by name',
    async (bad) => {
      const problem = await collect({ prompt: 'x', ...bad }).catch((error: unknown) => error);
      expect(problem).toBeInstanceOf(InvalidInput);
      expect(problem).toMatchObject({ errors: [{ path: `/${Object.keys(bad)[0]}` }] });
    },
  );
});

describe('a pack', () => {
  it('has code, records and commits within its limits, and the named entities', async () => {
    const pack = await collect({ prompt: 'Why was ENG-12 done?', limit: 8, budgetTokens: 2000 });
    expect(pack.items.length).toBeLessThanOrEqual(8);
    expect(pack.items.reduce((sum, { excerpt }) => sum + excerpt.length, 0)).toBeLessThanOrEqual(8000);
    expect(pack.items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['issue', 'commit']));
    expect(pack.items.map(({ rank }) => rank)).toEqual(pack.items.map((_, index) => index + 1));
    expect(pack.entities.map(({ name }) => name)).toEqual(['ENG-12 Parcels arrive twice']);
    expect(pack.items.find(({ kind }) => kind === 'issue')?.excerpt).toContain('A parcel is delivered again');
    expect(pack.items.filter(({ excerpt }) => excerpt.includes('A parcel is delivered again'))).toHaveLength(
      1,
    );
  });

  it('says that it is truncated', async () => {
    expect(await collect({ prompt: 'parcel harbour retry', limit: 1 })).toMatchObject({ truncated: true });
  });

  it('never contains text of another organization', async () => {
    const other = await seedOrganization(advisor.projecting.database, 'other');
    await seedRepository(advisor.projecting.database, other, {
      name: 'theirs',
      indexedCommit: 'c'.repeat(40),
    });
    for (const prompt of [
      'retryWithBackoff parcels',
      'What about ENG-12?',
      'What changed before incident Q3KZ7M1?',
    ]) {
      const { answer, citations } = await askFor(prompt, other);
      expect(JSON.stringify([leadOf(answer), citations])).not.toMatch(
        /Parcels arrive|harbour|deliverParcel/u,
      );
    }
  });
});

describe('an organization without an index', () => {
  it('is told the command that adds a repository', async () => {
    const empty = await seedOrganization(advisor.projecting.database, 'empty');
    expect((await askFor('anything', empty)).answer).toContain('`orgctx repo add <source>`');
  });

  it('sees the progress of indexing and the errors of failed repositories', async () => {
    const { database } = advisor.projecting;
    const busy = await seedOrganization(database, 'busy');
    const progress = { phase: 'indexing files', done: 10, total: 40 };
    await seedRepository(database, busy, { name: 'api', state: 'indexing', progress });
    const error = { code: 'not_found', message: 'No such repository.' };
    await seedRepository(database, busy, { name: 'old', state: 'failed', error });
    const { answer } = await askFor('anything', busy);
    expect(answer).toContain('still being indexed');
    expect(answer).toContain('`api` (indexing, indexing files 10/40)');
    expect(answer).toContain(
      'Not searched because indexing failed: `old` (No such repository). After the fix,',
    );
  });
});

describe('errors', () => {
  it('stops when the caller cancels', async () => {
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(ask(advisor.deps, scope, { prompt: 'retry' }, { ...asking, signal: gone })).rejects.toThrow(
      'gone',
    );
  });

  it('rejects with an error of the engine instead of an empty answer', async () => {
    const codeSearch: CodeSearch = {
      ...advisor.deps.codeSearch,
      rank: () => Promise.reject(new Unavailable('x', 'engine down')),
    };
    await expect(ask({ ...advisor.deps, codeSearch }, scope, { prompt: 'retry' }, asking)).rejects.toThrow(
      'engine down',
    );
  });

  it('answers without the searches that complete an answer while the engine is busy', async () => {
    const search = (): Promise<never> => Promise.reject(new Unavailable('overloaded', 'too many'));
    const codeSearch: CodeSearch = { ...advisor.deps.codeSearch, search };
    const { answer } = await ask(
      { ...advisor.deps, codeSearch },
      scope,
      { prompt: 'Where do zeppelins and parcels retry?' },
      asking,
    );
    expect(answer).toMatch(/ \[1\]/u);
  });

  it('answers from the code alone while the graph does not answer, and says so', async () => {
    const never = (): Promise<never> => new Promise(() => {});
    const graph = { ...emptyKnowledge.graph, search: never, get: never, neighbours: never };
    const deps = { ...advisor.deps, knowledge: { ...advisor.deps.knowledge, graph } };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const reached = Promise.withResolvers<void>();
    const onProgress = (step: string): void => {
      if (step.includes('graph')) reached.resolve();
    };
    const request = { prompt: 'How does retryWithBackoff give up?' };
    const asked = ask(deps, scope, request, { ...asking, onProgress });
    await reached.promise;
    await vi.advanceTimersByTimeAsync(10_000);
    const { answer } = await asked;
    expect(leadOf(answer)).toMatch(/^`retryWithBackoff` is a function/u);
    expect(answer).toContain('The knowledge graph did not answer in time');
  });

  it('stops asking the graph when it has taken too long', async () => {
    const asked: string[] = [];
    const slow = Promise.withResolvers<void>();
    const { knowledge } = advisor.deps;
    const search: typeof knowledge.graph.search = async (...args) => {
      asked.push(args[1].text);
      await slow.promise;
      return await knowledge.graph.search(...args);
    };
    const deps = { ...advisor.deps, knowledge: { ...knowledge, graph: { ...knowledge.graph, search } } };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const reached = Promise.withResolvers<void>();
    const onProgress = (step: string): void => {
      if (step.includes('graph')) reached.resolve();
    };
    const request = { prompt: 'What calls retryWithBackoff and parseQuery?' };
    const answering = ask(deps, scope, request, { ...asking, onProgress });
    await reached.promise;
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(10_000);
    await answering;
    slow.resolve();
    await settled();
    expect(asked).toHaveLength(1);
  });

  it('refuses a question of a user who has too many unanswered ones, and of nobody else', async () => {
    const held = Promise.withResolvers<never>();
    const codeSearch: CodeSearch = { ...advisor.deps.codeSearch, rank: () => held.promise };
    const questions = openQuestionLimit();
    const busy = { ...advisor.deps, codeSearch, questions };
    const gone = new AbortController();
    const steps: string[] = [];
    const options = { ...asking, signal: gone.signal, onProgress: (step: string) => steps.push(step) };
    const pending = Array.from({ length: 16 }, () => ask(busy, scope, { prompt: 'retry' }, options));
    const refused = { code: 'rate_limited', message: expect.stringContaining('16 questions') };
    await expect(ask(busy, scope, { prompt: 'retry' }, asking)).rejects.toMatchObject(refused);
    const context = collectContext(busy, scope, { prompt: 'retry' }, asking);
    await expect(context).rejects.toMatchObject(refused);
    expect(steps.filter((step) => step.startsWith('Waiting'))).toHaveLength(12);
    const other = { ...asking, userId: newId<UserId>() };
    const { answer } = await ask({ ...advisor.deps, questions }, scope, { prompt: 'retry' }, other);
    expect(answer).not.toBe('');
    gone.abort(new Error('gone'));
    held.reject(new Error('gone'));
    for (const each of await Promise.allSettled(pending)) expect(each.status).toBe('rejected');
    await ask({ ...advisor.deps, questions }, scope, { prompt: 'retry' }, asking);
  });

  it('gives the text in pieces', async () => {
    const pieces: string[] = [];
    const onText = (piece: string): void => void pieces.push(piece);
    const { answer } = await ask(advisor.deps, scope, { prompt: 'retry' }, { ...asking, onText });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(answer);
  });

  it('answers a follow-up question about what the thread names', async () => {
    const first = 'How does retryWithBackoff give up?';
    const { answer, citations } = await askFor(first);
    const thread = [{ question: first, answer, citations }];
    const followed = await ask(advisor.deps, scope, { prompt: 'and who calls it?', thread }, asking);
    expect(leadOf(followed.answer)).toBe(leadOf((await askFor('Who calls retryWithBackoff?')).answer));
  });

  it('says that a ranking was cut short', async () => {
    const codeSearch: CodeSearch = {
      ...advisor.deps.codeSearch,
      rank: async () => ({ files: [], unmatched: [], partial: true }),
    };
    const { answer } = await ask({ ...advisor.deps, codeSearch }, scope, { prompt: 'pauses' }, asking);
    expect(answer).toContain(
      'The ranking was cut short, so better places may be missing. Name a repository or ask a narrower',
    );
  });
});
