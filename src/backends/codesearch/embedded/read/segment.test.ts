import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import { eachBit } from '../format/bits.ts';
import { readManifest } from '../format/manifest.ts';
import { repositoryFolder } from '../format/repository-folder.ts';
import { decodeHeader } from '../format/segment-header.ts';
import { sectionIds } from '../format/segment-sections.ts';
import { trigramsOf } from '../format/trigram.ts';
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
  await openTestIndex({ root, log: silentLog }).apply(request, new AbortController().signal);
  const folder = repositoryFolder(root, 'org', 'repo');
  const entry = readManifest(folder)!.segments[0]!;
  const file = join(folder, entry.file);
  const segment = new Segment(file, entry.checksum);
  open.push(segment);
  return { segment, file };
}

it('detects within a minute that text was damaged after it was read', async () => {
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

it('detects within an hour that postings were damaged after they were read', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { segment, file } = await indexed({ 'a.ts': 'const needle = 1;\n' });
  const [trigram] = trigramsOf(Buffer.from('nee'));
  expect([...eachBit(segment.trigrams.units(trigram!), 0, 1)]).toEqual([0]);
  const bytes = readFileSync(file);
  const { offset } = decodeHeader(bytes)!.sections.find(({ name }) => name === sectionIds.postings)!;
  bytes[offset]! ^= 1;
  writeFileSync(file, bytes);
  vi.advanceTimersByTime(60 * 60_000);
  expect(() => segment.trigrams.units(trigram!)).toThrow(DamagedSegment);
});

it('yields to the event loop while it is verified', async () => {
  const { segment } = await indexed({ 'a.ts': 'const needle = 1;\n' });
  // Each reading of the clock is one second later than the one before.
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  let ticks = 0;
  const others = setImmediate(() => {
    ticks++;
    setImmediate(() => ticks++);
  });
  await segment.verify();
  clearImmediate(others);
  vi.restoreAllMocks();
  expect(ticks).toBeGreaterThan(1);
});
