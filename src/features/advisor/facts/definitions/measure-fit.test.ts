import { describe, expect, it } from 'vitest';
import type { RankedFile } from '../../../../backends/codesearch/port.ts';
import { definitionExtents } from '../../../../backends/codesearch/spans/definition-extents.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { measureFit } from './measure-fit.ts';
import { rankDefinitions } from './rank-definitions.ts';

const text = `// Sets the mode of the harbour.
function setMode() {
  const value = 1;
}
// Renews a lease.
function renew() {
  startHttp2();
  const berth = 1;
${'  step();\n'.repeat(30)}  const crane = 2;
}
function crane() {
  return 1;
}
function berth(cookie) {
  return 1;
}`;

const file: RankedFile = {
  repository: 'r' as RepositoryId,
  commit: 'c',
  path: 'src/parts.ts',
  language: 'TypeScript',
  fileClass: 'source',
  score: 1,
  reasons: [],
  spans: [{ startLine: 1, endLine: text.split('\n').length, score: 1, text }],
  definitions: definitionExtents(text.split('\n'), [
    { name: 'setMode', kind: 'function', line: 2 },
    { name: 'renew', kind: 'function', line: 6 },
    { name: 'crane', kind: 'function', line: 41 },
    { name: 'berth', kind: 'function', line: 44 },
  ]),
};

async function fitOf(name: string, terms: readonly string[]) {
  const question = { terms, context: [], names: [name], asksForBehaviour: true, asksForTests: false };
  const scored = await rankDefinitions([file], question);
  const one = scored.find(({ definition }) => definition.name === name);
  if (one === undefined) throw new Error(`${name} is not ranked`);
  return measureFit(one, terms);
}

describe('measureFit', () => {
  it('counts all words of a name and its comment', async () => {
    const { share, headShare, missing } = await fitOf('renew', ['lease', 'renewed']);
    expect([share, headShare, missing]).toEqual([1, 1, []]);
  });

  it('knows the plural of a word that ends like another plural', async () => {
    expect((await fitOf('berth', ['cookies'])).missing).toEqual([]);
  });

  it('does not count a word for said because another one of the file is related to it', async () => {
    const { share, missing, missingShare } = await fitOf('setMode', ['session', 'mode']);
    expect(missing).toEqual(['session']);
    expect(share).toBeLessThan(0.5);
    expect(missingShare).toBeGreaterThan(0.5);
  });

  it('counts less for words of a body that are far apart', async () => {
    const { share, missing } = await fitOf('renew', ['berth', 'crane']);
    expect(share).toBeLessThan(0.7);
    expect(missing).toEqual([]);
  });

  it('does not call words missing that only ask', async () => {
    expect((await fitOf('renew', ['decide', 'lease'])).missing).toEqual([]);
  });

  it('finds a name with a version as code writes it', async () => {
    expect((await fitOf('renew', ['HTTP/2', 'lease'])).missing).toEqual([]);
    expect((await fitOf('setMode', ['HTTP/2', 'mode'])).missing).toEqual(['HTTP/2']);
  });
});
