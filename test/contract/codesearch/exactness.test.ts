import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { CodeSearch } from '../../../src/backends/codesearch/port.ts';
import {
  composedTerms,
  likelyTerms,
  literalTerms,
  type Term,
} from '../../support/codesearch/generated-queries.ts';
import { indexRequest } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { sampleSize } from '../../support/run/long-run.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, ours, patient } from './query.ts';

/** ripgrep is the oracle: code search must return the same set of files for every query. */
const hasRipgrep = spawnSync('rg', ['--version']).status === 0;
const mustRun = process.env['CI'] !== undefined;
if (!hasRipgrep && !mustRun) console.warn('SKIPPED: exactness needs ripgrep (apt-get install ripgrep)');

const runs = sampleSize({ sample: 30, all: 300 });

const words = [
  'return',
  'import',
  'createServer',
  'acquire_lease',
  'HTTPServer',
  'x',
  'if',
  'TODO',
  'kelvin',
  'sand',
  'Straße',
  'ÜBER',
  'naïve',
  '日本語',
  'ſtop',
  '\u212aelvin',
  'İstanbul',
  'ελληνικός',
  '👍🏽',
  'Ωmega',
  '\u00a0',
  'zß',
  '𝒜',
];
const separators = [' ', '(', ')', ';', '.', '\t', ' = ', '{}', '"', '-', '_', '//', '['];
const invalidBytes = [
  Buffer.from([0xff]),
  Buffer.from([0xe2, 0x82]),
  Buffer.from([0xc0, 0xaf]),
  Buffer.from([0xed, 0xa0, 0x80]),
];

const corpus = buildCorpus();
const root = temporaryFolder();
const checkout = join(root, 'checkout');
let search: CodeSearch;

/** Builds the same corpus in every run, so that a failure is reproducible. */
function buildCorpus(): Map<string, Buffer> {
  let seed = 42;
  const pick = <T>(from: readonly T[]): T => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return from[(seed >>> 8) % from.length]!;
  };
  const line = (): Buffer => {
    const parts = Array.from({ length: 1 + (seed % 7) }, () => Buffer.from(pick(words) + pick(separators)));
    const end = Buffer.from((seed >>> 5) % 5 === 0 ? '\r' : '');
    return Buffer.concat(
      (seed >>> 4) % 23 === 0 ? [...parts, pick(invalidBytes), parts[0]!, end] : [...parts, end],
    );
  };
  const files = new Map<string, Buffer>();
  for (let file = 0; file < 120; file++) {
    const lines = Array.from({ length: file % 40 === 0 ? 1500 : (seed >>> 6) % 12 }, line);
    const end = Buffer.from(file % 3 === 0 ? '\n' : '');
    files.set(
      `src/${file % 9}/file${file}.ts`,
      Buffer.concat([...lines.flatMap((one) => [one, Buffer.from('\n')]), end]),
    );
  }
  files.set('one-line.js', Buffer.from(Array.from({ length: 4000 }, line).join('').replaceAll('\r', '')));
  files.set('no-newline.txt', Buffer.from('last return'));
  files.set('just-newline.txt', Buffer.from('\n'));
  files.set('empty.txt', Buffer.alloc(0));
  files.set('byte-order-mark.txt', Buffer.from('\ufeffreturn\n\ufeffimport \ufeff'));
  files.set('invalid.txt', Buffer.concat([Buffer.from('bad'), Buffer.from([0xff]), Buffer.from('byte\n')]));
  return files;
}

beforeAll(async () => {
  for (const [path, bytes] of corpus) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), bytes);
  }
  const repository = createRepository(Object.fromEntries(corpus));
  const index = openTestIndex({ root: join(root, 'index'), log: silentLog });
  const gitDir = `${repository.folder}/.git`;
  const to = repository.git('rev-parse', 'HEAD');
  await index.apply(indexRequest({ scope: ours, repository: 'repo', gitDir, to }), patient);
  search = openSearch();
});

afterAll(async () => {
  await search.close();
});

function openSearch(): CodeSearch {
  return openCodeSearch({ root: join(root, 'index'), log: silentLog, threads: 1 });
}

/**
 * Returns the files that ripgrep finds; `undefined` if version 13 errs with --crlf: it panics for some patterns, and
 * looks for `\b` after the CR that `$` skips.
 */
function byRipgrep(term: Term): string[] | undefined {
  const pattern =
    term.kind === 'literal' ? ['--fixed-strings', '--regexp', term.text] : ['--regexp', term.source];
  // A pattern that names the CR is matched against the line with it.
  const crlf = term.kind === 'regex' && !/\\r|\r/.test(term.source) ? ['--crlf'] : [];
  if (crlf.length > 0 && term.kind === 'regex' && /\$/.test(term.source) && term.source.includes('\\b'))
    return undefined;
  const flags = [...crlf, '--no-config', '--files-with-matches', '--text', '--hidden', '--no-ignore'];
  const casing = term.caseSensitive ? '--case-sensitive' : '--ignore-case';
  try {
    const output = execFileSync('rg', [...flags, casing, ...pattern, '.'], {
      cwd: checkout,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // With --crlf some versions of ripgrep also end the paths with CR LF.
    return output
      .split(/\r?\n/)
      .filter(Boolean)
      .map((path) => path.replace(/^\.\//, ''))
      .toSorted();
  } catch (error) {
    const { status, stderr = '' } = error as { status?: number; stderr?: string };
    if (status === 1) return [];
    if (stderr.includes('panicked')) return undefined;
    throw error;
  }
}

async function byEngine(term: Term): Promise<string[]> {
  const request = ask(term, { limit: 1000, matchesPerFile: 1, deadlineMs: 60_000 });
  let result = await search.search(ours, request, patient);
  // A machine that stalls a thread makes its pattern look hung, and quarantined patterns skip lines. New threads have
  // an empty quarantine.
  for (let attempt = 0; attempt < 5 && result.incomplete !== undefined; attempt++) {
    await search.close();
    search = openSearch();
    result = await search.search(ours, request, patient);
  }
  expect(result.incomplete).toBeUndefined();
  // Every matching file must also have a matching line.
  for (const file of result.files) expect(file.matches, `${file.path} shows no line`).not.toEqual([]);
  return result.files.map((file) => file.path).toSorted();
}

/** Generates valid lines of one file, so that a failure shrinks within the file. */
const lines = fc.constantFrom(...corpus.keys()).chain((path) => {
  const whole = corpus
    .get(path)!
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('\ufffd'));
  return fc.constantFrom(...(whole.length === 0 ? words : whole));
});
const found = { lines, words: fc.constantFrom(...words) };

describe.skipIf(!hasRipgrep && !mustRun)('the set of files equals that of ripgrep', () => {
  it.each([
    ['literals of the corpus', literalTerms(found)],
    ['patterns as people write them', likelyTerms(found)],
    ['patterns of every composition', composedTerms(found)],
  ])('for %s, case-sensitive and case-insensitive', async (_, terms) => {
    await fc.assert(
      fc.asyncProperty(terms, async (term) => {
        const expected = byRipgrep(term);
        fc.pre(expected !== undefined);
        expect(await byEngine(term)).toEqual(expected);
      }),
      { numRuns: runs },
    );
  });

  it.each([
    ['KELVIN', false],
    ['kelvin', false],
    ['\u212aelvin', false],
    ['stop', false],
    ['ſtop', false],
    ['SAND', false],
    ['strasse', false],
    ['STRAßE', false],
    ['istanbul', false],
    ['ΕΛΛΗΝΙΚΌΣ', false],
    ['ΩMEGA', false],
    ['ωmega', false],
  ])('for the literal %s, with case folding beyond ASCII', async (value, caseSensitive) => {
    const term: Term = { kind: 'literal', text: value, caseSensitive, field: 'content' };
    expect(await byEngine(term)).toEqual(byRipgrep(term));
  });

  it.each([
    '^$',
    '^',
    '$',
    'x*',
    '\\bstop\\b',
    '^\\s*return',
    '^return',
    '^.return',
    '^.import',
    '\\r$',
    '[^\\r]$',
    '^[^\\r]*$',
    '[^;)]$',
    '\\s$',
    '^.*\\W$',
    'return$',
    '[^\\x00-\\x7f]',
    '.{40}',
    'ret.*n\\b',
    '(?i)TODO',
    '\\w+Server',
    'bad.byte',
    'bad.*byte',
    'bad[^x]byte',
    'bad\\Wbyte',
    '(?i)BAD\\S?BYTE',
    'bad$',
    '^byte',
    'bad\\b',
    '^\\B',
    // Not compared: ripgrep 13 ends with a panic for \B$ with --crlf.
    'zß$',
  ])('for the pattern %s', async (source) => {
    const term: Term = { kind: 'regex', source, caseSensitive: true, field: 'content' };
    expect(await byEngine(term)).toEqual(byRipgrep(term));
  });
});
