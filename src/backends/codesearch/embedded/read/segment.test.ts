import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createRepository } from '../../../../../test/support/git-repository.ts';
import { indexRequest } from '../../../../../test/support/index-request.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { eachBit } from '../format/bits.ts';
import { readManifest } from '../format/manifest.ts';
import { repositoryFolder } from '../format/repository-folder.ts';
import { decodeHeader } from '../format/segment-header.ts';
import { SECTIONS } from '../format/segment-sections.ts';
import { trigramsOf } from '../format/trigram.ts';
import { openCodeIndex } from '../open-embedded-code-search.ts';
import { DamagedSegment, Segment } from './segment.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const open: Segment[] = [];

afterEach(() => {
  vi.useRealTimers();
  for (const segment of open.splice(0)) segment.close();
});

async function indexed(files: Record<string, string>): Promise<{ segment: Segment; file: string }> {
  const root = temporaryFolder();
  const repository = createRepository(files);
  const [gitDir, to] = [join(repository.folder, '.git'), repository.git('rev-parse', 'HEAD')];
  const request = indexRequest({ scope, repository: 'repo', gitDir, to });
  await openCodeIndex({ root, log: silentLog }).apply(request, new AbortController().signal);
  const folder = repositoryFolder(root, 'org', 'repo');
  const entry = readManifest(folder)!.segments[0]!;
  const file = join(folder, entry.file);
  const segment = new Segment(file, entry.checksum);
  open.push(segment);
  return { segment, file };
}

it('finds out within a minute that text it has read before went bad under it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { segment, file } = await indexed({ 'a.ts': 'const needle = 1;\n' });
  expect(segment.readUnit(0).toString()).toContain('needle');
  const bytes = readFileSync(file);
  bytes[bytes.indexOf('needle')]! ^= 1;
  writeFileSync(file, bytes);
  vi.advanceTimersByTime(60_000);
  expect(() => segment.readUnit(0)).toThrow(DamagedSegment);
  expect(() => segment.readUnits(0, 1)).toThrow(DamagedSegment);
});

it('finds out within an hour that postings it has read before went bad under it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { segment, file } = await indexed({ 'a.ts': 'const needle = 1;\n' });
  const [trigram] = trigramsOf(Buffer.from('nee'));
  expect([...eachBit(segment.trigrams.units(trigram!), 0, 1)]).toEqual([0]);
  const bytes = readFileSync(file);
  const { offset } = decodeHeader(bytes)!.sections.find(({ name }) => name === SECTIONS.postings)!;
  bytes[offset]! ^= 1;
  writeFileSync(file, bytes);
  vi.advanceTimersByTime(60 * 60_000);
  expect(() => segment.trigrams.units(trigram!)).toThrow(DamagedSegment);
});

it('is verified without keeping others from their turn', async () => {
  const { segment } = await indexed({ 'a.ts': 'const needle = 1;\n' });
  // Each look at the clock finds that a long time has passed.
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  let turns = 0;
  const others = setImmediate(() => {
    turns++;
    setImmediate(() => turns++);
  });
  await segment.verify();
  clearImmediate(others);
  vi.restoreAllMocks();
  expect(turns).toBeGreaterThan(1);
});
