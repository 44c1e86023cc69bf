import { describe, expect, it } from 'vitest';
import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import { definitionExtents } from '../../../../backends/codesearch/spans/definition-extents.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { readAsked } from '../../question/prompt/read-asked.ts';
import type { RankedCode } from '../../ranking/rank-code.ts';
import { chooseDefinition } from './choose-definition.ts';

const text = `// Opens a connection, for former callers.
function ensureOpen(options) {
  return openBySteps(options);
}
// Registers a listener.
function afterBoarding(listener) {
  boardingListeners.push(listener);
}
function openBySteps(options) {
  for (const host of options.hosts) {
    attempt(host);
    if (isLastOf(host, options.hosts)) pauseBetweenRounds(options.interval);
  }
}
function board(ferry) {
  ferry.load();
  for (const listener of boardingListeners.toReversed()) listener(ferry);
  saveLog(ferry);
}
function stepsOf(interval) {
  return interval * 2;
}
function attempt(host) {
  return dial(host);
}
// The berth of a ferry: its quay and its hours.
interface Berth {
  ferry: string;
}
function quayOf(ferry) {
  const free = quays.filter(hasFreeBerth);
  if (free.length === 0) return undefined;
  return berth(free.find((quay) => quay.fits(ferry)));
}`;
const lines = text.split('\n');
const at = (name: string): number => lines.findIndex((line) => line.startsWith(`function ${name}(`)) + 1;
const names = ['ensureOpen', 'afterBoarding', 'openBySteps', 'board', 'stepsOf', 'attempt', 'quayOf'];
const file: RankedFile = {
  repository: 'r' as RepositoryId,
  commit: 'c',
  path: 'src/ferry.ts',
  language: 'TypeScript',
  fileClass: 'source',
  score: 1,
  reasons: [],
  spans: [{ startLine: 1, endLine: lines.length, score: 1, text }],
  definitions: definitionExtents(lines, [
    ...names.map((name) => ({ name, kind: 'function' as const, line: at(name) })),
    { name: 'Berth', kind: 'interface', line: lines.indexOf('interface Berth {') + 1 },
  ]),
};

async function choose(
  prompt: string,
  kind: 'how' | 'where' = 'how',
): Promise<{ best: string | undefined; named: string | undefined }> {
  const { asked, subject, context } = readAsked(prompt);
  const ranked = { subject, context, files: [file], named: [] } as unknown as RankedCode;
  const { best, named } = await chooseDefinition({ ranked, asked, kind });
  return { best: best[0]?.definition.name, named: named?.definition.name };
}

describe('chooseDefinition', () => {
  it('takes a function that the question names', async () => {
    expect(await choose('How does openBySteps pause?')).toEqual({ best: 'openBySteps', named: undefined });
  });

  it('follows a function that only passes on what it gets', async () => {
    expect(await choose('Does ensureOpen pause between hosts or only after the last of them?')).toEqual({
      best: 'openBySteps',
      named: 'ensureOpen',
    });
  });

  it('follows a function that only stores what it gets', async () => {
    expect(await choose('Do several afterBoarding listeners run before the log is saved?')).toEqual({
      best: 'board',
      named: 'afterBoarding',
    });
  });

  it('keeps a short function that says as much as the code that it calls', async () => {
    expect(await choose('Does ensureOpen take former callers?')).toEqual({
      best: 'ensureOpen',
      named: undefined,
    });
  });

  it('takes code that does something for a place where it is done, and the thing for its own place', async () => {
    expect((await choose('Where is the berth of a ferry decided?', 'where')).best).toBe('quayOf');
    expect((await choose('Where is the berth of a ferry declared?', 'where')).best).toBe('Berth');
  });

  it('takes none of several names as the one that is asked for', async () => {
    expect(
      await choose('With ensureOpen and afterBoarding, in which order are listeners run by a load?'),
    ).toEqual({
      best: 'board',
      named: undefined,
    });
  });
});
