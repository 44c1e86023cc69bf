import { describe, expect, it } from 'vitest';
import {
  type CodeIndex,
  type CodeSearch,
  maxMatchText,
  type NamedRepository,
  type Query,
  type RankRequest,
  type SearchRequest,
} from '../../../src/backends/codesearch/port.ts';
import { InvalidInput } from '../../../src/foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { applyAndDefine, indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { definitionsFollow } from './definitions.ts';
import { linesAreListed } from './listed-lines.ts';
import { ranksPassages } from './passages.ts';
import { ask, literal, ours, patient, rankInTime, regex, theirs } from './query.ts';

/** The subject that each adapter of the code search ports provides to this suite. */
export interface CodeSearchWorld {
  readonly search: CodeSearch;
  readonly index: CodeIndex;
}

const web = namedRepository('repo-web', 'acme/web');
const api = namedRepository('repo-api', 'acme/api');
const foreign = namedRepository('repo-foreign', 'rival/secret');
const both: readonly NamedRepository[] = [web, api];

/** A ranking by nothing, to which a test adds what it ranks by. */
const ranking = { terms: [], identifiers: [], paths: [], question: '', limit: 10, waitMs: 30_000 };

const webFiles = {
  'src/lease.ts':
    'import { now } from "./clock";\n\nexport function acquireLease(key: string) {\n  return { key, until: now() + 5000 };\n}\n',
  'src/worker.ts':
    'import { acquireLease } from "./lease";\n\n// Retries a job until its lease is gone.\nexport async function work() {\n  const lease = acquireLease("job");\n  return lease;\n}\n',
  'src/worker.test.ts': 'import { work } from "./worker";\ntest("works", () => work());\nacquireLease;\n',
  'docs/guide.md': '# Guide\n\nA lease is acquired with acquireLease.\n',
  'empty.txt': '',
  'unicode.txt': 'Straße Ünïcode\n日本語 text 👍 lease\nno newline at the end',
};
const apiFiles = { 'main.go': 'package main\n\nfunc main() {\n\tacquireLease("x")\n}\n' };

/** The contract of `CodeSearch` and `CodeIndex`. It starts with an empty index. */
export function describeCodeSearch(name: string, open: () => Promise<CodeSearchWorld>): void {
  describe(`${name}: code search`, () => {
    const repository = createRepository(webFiles);
    const second = createRepository(apiFiles);
    const third = createRepository({ 'secret.ts': 'acquireLease("theirs");\nconst topSecret = 1;\n' });
    const head = (of = repository): string => of.git('rev-parse', 'HEAD');
    const gitDir = (of = repository): string => `${of.folder}/.git`;
    let world: Promise<CodeSearchWorld> | undefined;
    const ready = async (): Promise<CodeSearchWorld> => {
      world ??= (async () => {
        const opened = await open();
        const apply = (scope: OrgScope, id: RepositoryId, of: typeof repository): Promise<unknown> =>
          applyAndDefine(
            opened.index,
            indexRequest({ scope, repository: id, gitDir: gitDir(of), to: head(of) }),
          );
        await apply(ours, web.id, repository);
        await apply(ours, api.id, second);
        await apply(theirs, foreign.id, third);
        return opened;
      })();
      return world;
    };
    const paths = async (query: Query, more: Partial<SearchRequest> = {}): Promise<string[]> => {
      const { search } = await ready();
      const { files } = await search.search(ours, ask(query, { repositories: both, ...more }), patient);
      return files.map((file) => file.path).toSorted();
    };

    it('finds every file that contains a literal', async () => {
      expect(await paths(literal('acquireLease'))).toEqual([
        'docs/guide.md',
        'main.go',
        'src/lease.ts',
        'src/worker.test.ts',
        'src/worker.ts',
      ]);
      expect(await paths(literal('acquirelease'))).toEqual([]);
    });

    it('ranks the definition first', async () => {
      const { search } = await ready();
      const found = await search.search(ours, ask(literal('acquireLease'), { repositories: both }), patient);
      expect(found.files[0]?.path).toBe('src/lease.ts');
      expect(found.files.map((file) => file.score)).toEqual(
        found.files.map((file) => file.score).toSorted((a, b) => b - a),
      );
    });

    it('finds literals of one and two characters, for which there is no trigram', async () => {
      expect(await paths(literal('#'))).toEqual(['docs/guide.md']);
      expect(await paths(literal('本語'))).toEqual(['unicode.txt']);
    });

    it('ignores case on request, beyond ASCII too', async () => {
      expect(await paths({ ...literal('ACQUIRELEASE'), caseSensitive: false } as Query)).toHaveLength(5);
      expect(await paths({ ...literal('üNÏCODE'), caseSensitive: false } as Query)).toEqual(['unicode.txt']);
      expect(await paths(literal('üNÏCODE'))).toEqual([]);
    });

    it('matches patterns line by line', async () => {
      expect(await paths(regex('^export (async )?function'))).toEqual(['src/lease.ts', 'src/worker.ts']);
      expect(await paths(regex('clock.*acquire'))).toEqual([]);
      expect(await paths(regex('clock"[^x]*export', false))).toEqual([]);
      expect(await paths(regex('clock"\\W*export', false))).toEqual([]);
      expect(await paths(regex('code\\s日', false))).toEqual([]);
      expect(await paths(regex('^no newline.*end$'))).toEqual(['unicode.txt']);
    });

    it('combines operands with and, or, not, and fields', async () => {
      const lease = literal('acquireLease');
      const go: Query = { kind: 'language', name: 'go' };
      expect(await paths({ kind: 'and', operands: [lease, literal('now')] })).toEqual(['src/lease.ts']);
      expect(await paths({ kind: 'or', operands: [literal('topmost'), literal('package')] })).toEqual([
        'main.go',
      ]);
      expect(
        await paths({ kind: 'and', operands: [lease, { kind: 'not', operand: literal('import') }] }),
      ).toEqual(['docs/guide.md', 'main.go']);
      expect(await paths({ kind: 'and', operands: [lease, go] })).toEqual(['main.go']);
      expect(await paths({ kind: 'and', operands: [lease, { kind: 'repository', text: 'ME/API' }] })).toEqual(
        ['main.go'],
      );
      expect(await paths({ kind: 'and', operands: [lease, literal('.test.', 'path')] })).toEqual([
        'src/worker.test.ts',
      ]);
    });

    it('finds files by path only, with a match of length 0', async () => {
      const { search } = await ready();
      const { files } = await search.search(
        ours,
        ask(literal('lease.ts', 'path'), { repositories: both }),
        patient,
      );
      expect(files.map((file) => file.path)).toEqual(['src/lease.ts']);
      expect(files[0]?.matches[0]).toMatchObject({ line: 1, length: 0 });
      expect(await paths(literal('guide', 'any'))).toEqual(['docs/guide.md']);
      expect(await paths(literal('empty', 'path'))).toEqual(['empty.txt']);
    });

    it('returns line, column and length in UTF-16 units, with context', async () => {
      const { search } = await ready();
      const request = ask(literal('lease'), { repositories: [web], contextLines: 1 });
      const { files } = await search.search(ours, request, patient);
      const unicode = files.find((file) => file.path === 'unicode.txt');
      expect(unicode).toMatchObject({ repository: web.id, commit: head(), language: 'Text', moreMatches: 0 });
      expect(unicode?.matches).toEqual([
        {
          line: 2,
          column: 13,
          length: 5,
          text: '日本語 text 👍 lease',
          textOffset: 0,
          before: ['Straße Ünïcode'],
          after: ['no newline at the end'],
        },
      ]);
    });

    it('counts the matching lines that it omits', async () => {
      const { search } = await ready();
      const request = ask(literal('lease'), { repositories: [web], matchesPerFile: 1 });
      const { files } = await search.search(ours, request, patient);
      expect(files.find((file) => file.path === 'src/worker.ts')).toMatchObject({
        matches: [{ line: 1 }],
        moreMatches: 3,
      });
    });

    it.each([0, 1])('skips lines of a file for its next page, with %s lines around', async (contextLines) => {
      const { search } = await ready();
      const page = async (skipMatches: number) => {
        const request = ask(literal('lease'), { repositories: [web], contextLines, matchesPerFile: 2 });
        const { files } = await search.search(ours, { ...request, skipMatches }, patient);
        const { matches, moreMatches } = files.find(({ path }) => path === 'src/worker.ts')!;
        return [...matches.map(({ line }) => line), `${moreMatches} more`];
      };
      const [, next] = await page(0);
      expect([await page(1), await page(9)]).toEqual([[next, expect.any(Number), '1 more'], ['0 more']]);
    });

    it('limits the size of an answer and still returns all files with the counts of their lines', async () => {
      const { search, index } = await ready();
      // In JSON a control character takes six bytes.
      const lines = (count: number): string => `wideLine ${'\u0001'.repeat(1960)}\n`.repeat(count);
      const wide = createRepository(
        Object.fromEntries(
          Array.from({ length: 9 }, (_, n) => [`wide-${n}.txt`, lines(n === 0 ? 530 : 280)]),
        ),
      );
      const id = namedRepository('repo-wide', 'acme/wide');
      await index.apply(
        indexRequest({ scope: ours, repository: id.id, gitDir: gitDir(wide), to: head(wide) }),
        patient,
      );
      for (const [contextLines, offset] of [
        [1, 0],
        [1, 3],
        [0, 0],
      ] as const) {
        const request = ask(literal('wideLine'), { repositories: [id], matchesPerFile: 1000, contextLines });
        const answer = await search.search(ours, { ...request, offset, deadlineMs: 20_000 }, patient);
        expect(answer.files).toHaveLength(9 - offset);
        expect(answer.incomplete).toBeUndefined();
        expect(answer.files.map((file) => file.matches.length + file.moreMatches)).toEqual(
          answer.files.map(({ path }) => (path === 'wide-0.txt' ? 530 : 280)),
        );
        const textLengths = answer.files.map(({ matches }) =>
          matches.reduce(
            (sum, { text, before, after }) => sum + [text, ...before, ...after].join('').length,
            0,
          ),
        );
        expect(textLengths[0]).toBeGreaterThan(500_000);
        expect(Math.max(...textLengths)).toBeLessThanOrEqual(maxMatchText.file);
        expect(textLengths.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(maxMatchText.answer);
        expect(textLengths.reduce((sum, each) => sum + each)).toBeGreaterThan(0.9 * maxMatchText.answer);
        for (const { before, after } of answer.files.flatMap(({ matches }) => matches)) {
          expect(Math.max(0, ...[...before, ...after].map((line) => line.length))).toBeLessThanOrEqual(300);
        }
      }
    });

    it('pages without gaps or repetitions', async () => {
      const { search } = await ready();
      const whole = await search.search(ours, ask(literal('e'), { repositories: both }), patient);
      const pages: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = await search.search(
          ours,
          ask(literal('e'), { repositories: both, limit: 2, offset }),
          patient,
        );
        pages.push(...page.files.map((file) => file.path));
        offset = page.nextOffset;
      }
      expect(pages).toEqual(whole.files.map((file) => file.path));
      expect(whole.nextOffset).toBeUndefined();
    });

    it('never returns results of another organization, not even when its repository is named', async () => {
      const { search } = await ready();
      const named = ask(literal('topSecret'), { repositories: [foreign] });
      expect((await search.search(ours, named, patient)).files).toEqual([]);
      expect((await search.search(ours, ask(literal('topSecret')), patient)).files).toEqual([]);
      expect((await search.search(theirs, named, patient)).files).toHaveLength(1);
      const rank = { ...ranking, terms: ['secret'], identifiers: ['topSecret'], paths: ['secret.ts'] };
      expect((await rankInTime(search, ours, { ...rank, repositories: [foreign] })).files).toEqual([]);
      expect((await rankInTime(search, ours, rank)).files).toEqual([]);
      expect((await rankInTime(search, theirs, rank)).files).toHaveLength(1);
    });

    it('ignores invalid repository ids', async () => {
      const { search } = await ready();
      const strange = [namedRepository('../org-theirs/repo-foreign', 'x')];
      const request = ask(literal('topSecret'), { repositories: strange });
      expect((await search.search(ours, request, patient)).files).toEqual([]);
    });

    it('refuses patterns that it cannot match safely, with the reason', async () => {
      const { search } = await ready();
      for (const source of ['(?=x)y', '(a)\\1', '(', 'x{2000}', 'a\\nb', 'x'.repeat(2000), 'abc\\Z']) {
        await expect(search.search(ours, ask(regex(source)), patient)).rejects.toThrow(InvalidInput);
      }
      await expect(search.search(ours, ask(literal('')), patient)).rejects.toThrow(InvalidInput);
      await expect(search.search(ours, ask(literal('x'), { limit: 0 }), patient)).rejects.toThrow(/limit/);
    });

    it('ranks files that contain the terms, split and stemmed, with reasons', async () => {
      const { search } = await ready();
      const request = { ...ranking, terms: ['retry', 'leases'] };
      const { files } = await rankInTime(search, ours, request);
      expect(files[0]).toMatchObject({ path: 'src/worker.ts', repository: web.id, commit: head() });
      expect(files[0]?.reasons[0]).toMatch(/^content: .*retry/);
    });

    it('names the found part of a word as the reason, not the word', async () => {
      const { search } = await ready();
      const request = { ...ranking, terms: ['lease77'] };
      const { files } = await rankInTime(search, ours, request);
      expect(files.length).toBeGreaterThan(1);
      for (const { reasons } of files)
        for (const reason of reasons) expect(reason).toMatch(/^(content|path): lease$/);
    });

    it('ranks files whose exact name or path the question contains first', async () => {
      const { search } = await ready();
      const named = { ...ranking, terms: ['work'], identifiers: ['acquireLease'] };
      expect((await rankInTime(search, ours, named)).files[0]?.reasons).toContain('defines acquireLease');
      const byPath = { ...ranking, paths: ['docs/guide.md'], limit: 1 };
      expect((await rankInTime(search, ours, byPath)).files.map((file) => file.path)).toEqual([
        'docs/guide.md',
      ]);
    });

    it('ranks files that contain a quoted text, and names what no file contains', async () => {
      const { search } = await ready();
      const request = {
        ...ranking,
        terms: ['guide'],
        identifiers: ['acquireLease', 'lease.noSuchName', 'noSuchName', 'no.acquireLease'],
        phrases: ['retries a JOB until', 'no such text'],
      };
      const { files, unmatched } = await rankInTime(search, ours, { ...request, repositories: [web] });
      expect(unmatched).toEqual(['lease.noSuchName', 'noSuchName', 'no such text']);
      const quoting = files.filter(({ reasons }) =>
        reasons.some((reason) => reason.includes('contains "retries a JOB until"')),
      );
      expect(quoting.map(({ path }) => path)).toEqual(['src/worker.ts']);
    });

    it('ranks the file first to whose line the question points, with a passage that contains it', async () => {
      const { search } = await ready();
      const places = [{ path: 'srv/app/src/worker.ts', line: 5 }];
      const request = { ...ranking, places };
      const { files, passages } = await rankInTime(search, ours, { ...request, repositories: [web] });
      expect(files[0]?.path).toBe('src/worker.ts');
      expect(passages.best[0]).toMatchObject({ path: 'src/worker.ts', startLine: 3, endLine: 7 });
    });

    it('weighs the classes of files as requested, and prefers a named repository', async () => {
      const { search } = await ready();
      const request = { ...ranking, terms: ['lease'], identifiers: [], repositories: both };
      const score = async (path: string, more: Partial<RankRequest>): Promise<number> => {
        const { files } = await rankInTime(search, ours, { ...request, ...more });
        return files.find((file) => file.path === path)?.score ?? 0;
      };
      const usual = await score('main.go', {});
      expect(usual).toBeGreaterThan(0);
      expect(await score('main.go', { preferred: [api.id] })).toBeCloseTo(1.5 * usual);
      expect(await score('main.go', { weights: { source: 0.5 } })).toBeCloseTo(0.5 * usual);
      const { files } = await rankInTime(search, ours, { ...request, weights: { docs: 9 } });
      expect(files[0]).toMatchObject({ path: 'docs/guide.md', fileClass: 'docs' });
    });

    it('refuses a ranking out of bounds', async () => {
      const { search } = await ready();
      const request = { ...ranking, terms: ['lease'] };
      for (const more of [
        { limit: 0 },
        { limit: 201 },
        { waitMs: -1 },
        { weights: { docs: 11 } },
        { weights: { test: -1 } },
      ])
        await expect(search.rank(ours, { ...request, ...more }, patient)).rejects.toThrow(InvalidInput);
    });

    it('stops when the caller disconnects', async () => {
      const { search } = await ready();
      const gone = AbortSignal.abort(new Error('gone'));
      await expect(search.search(ours, ask(literal('x')), gone)).rejects.toThrow('gone');
      const request = { ...ranking, terms: ['lease'] };
      await expect(search.rank(ours, request, gone)).rejects.toThrow('gone');
    });

    it('reports what is indexed and counts what was skipped', async () => {
      const { index } = await ready();
      await index.remove(ours, 'repo-none' as RepositoryId);
      expect(await index.status(ours, web.id)).toMatchObject({ commit: head(), files: 6, skipped: {} });
      expect(await index.status(ours, foreign.id)).toBeUndefined();
      expect(await index.status(ours, 'repo-none' as RepositoryId)).toBeUndefined();
    });

    it('applies the changed, added and deleted files of a commit', async () => {
      const { index, search } = await ready();
      const moving = createRepository({
        'a.ts': 'const oldName = 1;\n',
        'b.ts': 'const kept = 1;\n',
        'c.ts': 'gone\n',
      });
      const id = 'repo-moving' as RepositoryId;
      const request = (): Parameters<CodeIndex['apply']>[0] =>
        indexRequest({ scope: ours, repository: id, gitDir: gitDir(moving), to: head(moving) });
      const first = await index.apply(request(), patient);
      moving.git('rm', '--quiet', 'c.ts');
      moving.commit({ 'a.ts': 'const newName = 1;\n', 'd.ts': 'const added = 1;\n' });
      const next = await index.apply(request(), patient);
      expect(next).toMatchObject({ generation: first.generation + 1, commit: head(moving), files: 3 });
      expect(await index.apply(request(), patient)).toEqual(next);
      const found = async (text: string): Promise<string[]> =>
        (
          await search.search(ours, ask(literal(text), { repositories: [namedRepository(id)] }), patient)
        ).files.map((file) => file.path);
      expect(await found('oldName')).toEqual([]);
      expect(await found('newName')).toEqual(['a.ts']);
      expect(await found('kept')).toEqual(['b.ts']);
      expect(await found('added')).toEqual(['d.ts']);
      expect(await found('gone')).toEqual([]);
      await index.remove(ours, id);
      expect(await found('kept')).toEqual([]);
      expect(await index.status(ours, id)).toBeUndefined();
    });

    linesAreListed(ready);
    definitionsFollow(ready);
    ranksPassages(ready);
  });
}
