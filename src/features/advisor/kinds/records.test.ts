import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFerry } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { collectPack, type Pack } from '../collect-pack.ts';
import { surroundings } from './surroundings.ts';

let advisor: OpenedAdvisor;
beforeAll(async () => {
  advisor = await openFerry();
});
afterAll(() => advisor.close());

function packOf(prompt: string): Promise<Pack> {
  const until = performance.now() + 20_000;
  return collectPack(advisor.deps, advisor.projecting.scope, { prompt }, { signal: asking.signal, until });
}

/** Returns the lines of the finding with `[]` for each source. */
async function linesOf(prompt: string): Promise<readonly string[]> {
  const { finding } = await packOf(prompt);
  return (finding?.lines ?? []).map((line) =>
    line.map((piece) => (typeof piece === 'string' ? piece : '[]')).join(''),
  );
}

it('states an issue with its commits, files and linked records', async () => {
  const lines = await linesOf('What is ENG-12?');
  expect(lines[0]).toBe('`ENG-12` “Parcels arrive twice” is an open issue (In Progress)[]');
  expect(lines[1]).toMatch(
    /^Commit: `\S+` `\w{12}` \(2025-02-01, Ada Lovelace\) “Give up after five attempts”\[\]$/u,
  );
  expect(lines.find((line) => line.startsWith('Files: '))).toContain('src/retry.ts');
  expect(lines.find((line) => line.startsWith('Linked: '))).toContain('Harbour rejects every parcel');
});

it('states an incident with the commits before it, which are only candidates', async () => {
  const prompt = 'What changed before the incident Q3KZ7M1?';
  const lines = await linesOf(prompt);
  expect(lines[0]).toMatch(
    /“Harbour rejects every parcel” of 2030-03-03 01:02 is an open incident \(triggered\)\[\]$/u,
  );
  expect(lines[1]).toContain('Before it, in code that it names: ');
  expect(lines[1]).toContain('“Refuse parcels of closed harbours');
  expect(lines.find((line) => line.startsWith('Affected: '))).toBe('Affected: Ferry.');
  expect(lines.find((line) => line.startsWith('People: '))).toContain('Ada Lovelace');
  expect((await packOf(prompt)).finding?.notes).toContain(
    'These commits are candidates: nothing says that one of them is the cause.',
  );
});

it('answers for a change with the commit whose message says it', async () => {
  const { finding } = await packOf('Which commit refused the parcels of a closed harbour?');
  expect(finding?.isSure).toBe(false);
  expect(finding?.lines[0]?.filter((piece) => typeof piece === 'string').join('')).toContain(
    '“Refuse parcels of closed harbours',
  );
  expect(finding?.next?.[0]).toMatch(/^show_commit repository=\S+ commit=[0-9a-f]{12}$/u);
});

it('answers for the last and the first change of a file with the ends of its history', async () => {
  const last = await linesOf('What was the last change of src/retry.ts?');
  expect(last[0]).toMatch(/^Last change of `\S+\/src\/retry.ts`\[\]: .* “Give up after five attempts”\[\]$/u);
  const first = await linesOf('When was src/retry.ts introduced?');
  expect(first[0]).toMatch(/^First change of .* \(2025-01-01, Ada Lovelace\) “Start”\[\]$/u);
});

it('resolves the number of a pull request and a shortened id', async () => {
  const [byNumber = ''] = await linesOf('What did PR #7 do?');
  expect(byNumber).toContain('“Refuse parcels of closed harbours');
  const id = /`([0-9a-f]{12})`/u.exec(byNumber)?.[1];
  expect((await linesOf(`Explain the commit ${id?.slice(0, 9)}`))[0]).toBe(byNumber);
});

it('names the declared owners of a file, then who committed to it', async () => {
  const { finding } = await packOf('Who owns src/retry.ts?');
  const text = finding?.lines.map((line) => line.filter((piece) => typeof piece === 'string').join('')) ?? [];
  expect(text[0]).toMatch(/^Owned by \S*harbour \(`CODEOWNERS \/src\/retry\.ts`\): `\S+\/src\/retry\.ts`$/u);
  expect(text).toContain('Ada Lovelace: 2 commits, the last on 2025-02-01');
  expect(finding?.isSure).toBe(true);
});

it('leads from a topic to the people of its file', async () => {
  const lines = await linesOf('Who knows about refusing parcels?');
  expect(lines.some((line) => line.startsWith('Ada Lovelace: '))).toBe(true);
});

it('states the last change of the file of a passage', async () => {
  const { inquiry } = await packOf('Where are parcels delivered?');
  const { ranked } = inquiry;
  const best = ranked.passages.best.filter(({ path }) => path === 'src/deliver.ts');
  const passages = { ...ranked.passages, best, confidence: 'likely' as const };
  const lines = await surroundings({ ...inquiry, ranked: { ...ranked, passages } });
  expect(lines.map(([text]) => text)).toContain(
    'Its file last changed 2025-03-01 by Ada Lovelace: “Refuse parcels of closed harbours (#7)”',
  );
});
