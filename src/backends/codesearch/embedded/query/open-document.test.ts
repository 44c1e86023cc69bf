import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ours, patient } from '../../../../../test/contract/codesearch/query.ts';
import { indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { eachBit } from '../format/bits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { type Narrowed, narrow } from './candidates.ts';
import type { ContentAtom } from './compile-query.ts';
import { literalMatcher } from './matcher.ts';
import { documentReader } from './open-document.ts';
import { textArena } from './scan/text-arena.ts';

/** Files of one unit to many. Some units are longer than one read; every third file contains the needle. */
const files = Object.fromEntries(
  Array.from({ length: 60 }, (_, number) => {
    const line = `${number} ${'x'.repeat(number % 7 === 0 ? 150_000 : 70)}\n`;
    const lines = line.repeat(number % 7 === 0 ? 1 + (number % 5) : 1 + number ** 2);
    return [`file-${number}.c`, number % 3 === 0 ? `needle\n${lines}needle\n${lines}` : lines];
  }),
);

describe('documents opened one after the other', () => {
  const root = temporaryFolder();
  let indexes: OpenIndexes;
  let live: LiveSegment;
  const atom: ContentAtom = {
    kind: 'content',
    matcher: literalMatcher({ kind: 'literal', text: 'needle', caseSensitive: true, field: 'content' }),
  };

  beforeAll(async () => {
    const { folder, git } = createRepository(files);
    const request = {
      scope: ours,
      repository: 'repo',
      gitDir: `${folder}/.git`,
      to: git('rev-parse', 'HEAD'),
    };
    await openTestIndex({ root, log: silentLog }).apply(indexRequest(request), patient);
    indexes = new OpenIndexes(root);
    live = indexes.inRange({ organizationId: ours.organizationId }).segments[0]!;
  });
  afterAll(() => indexes.close());

  /** Returns whether all units have their text after all of them were read, in documents opened in this order. */
  const holdTheirText = (documents: Iterable<number>, narrowed: Narrowed): boolean => {
    const reader = documentReader(textArena());
    return [...documents].every((document) => {
      const text = reader.open(live, document, narrowed);
      const units = text.unitsOf(atom);
      const texts = units.map((unit) => text.unit(unit, atom));
      return units.every(
        (unit, place) => live.segment.readUnit(unit).toString().trimEnd() === texts[place]!.text(),
      );
    });
  };
  const all = (): number[] => Array.from({ length: live.segment.documents.count }, (_, document) => document);

  it('hold their text until the next one is opened, regardless of its length', () => {
    const everything = { possible: live.documents, units: new Map() };
    expect(holdTheirText(all(), everything)).toBe(true);
    expect(holdTheirText(all().toReversed(), everything)).toBe(true);
  });

  it('hold the text of the units that may contain the needle', () => {
    const narrowed = narrow(atom, live);
    const documents = [...eachBit(narrowed.possible, 0, live.segment.documents.count)];
    expect(documents).toHaveLength(20);
    expect(holdTheirText(documents, narrowed)).toBe(true);
  });
});
