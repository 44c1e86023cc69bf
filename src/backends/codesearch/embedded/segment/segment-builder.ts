import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SegmentEntry } from '../format/manifest.ts';
import type { Codec } from '../format/segment-sections.ts';
import { type Collectors, openCollectors } from './collectors.ts';
import { cutUnits } from './cut-units.ts';
import { type IndexedDocument, type OpenSegment, openSegment, type SegmentPlace } from './open-segment.ts';

/**
 * Writes documents, which must arrive in static order, to segments in `folder`; starts a new segment when one is
 * full.
 */
export class SegmentBuilder {
  readonly #place: SegmentPlace;
  readonly #kind: SegmentEntry['kind'];
  readonly #finished: SegmentEntry[] = [];
  readonly #collectors: Collectors;
  #open: OpenSegment | undefined;

  /** @param collectors must be empty; empty again after `finish` */
  constructor(
    folder: string,
    generation: number,
    kind: SegmentEntry['kind'],
    codec: Codec = 'raw',
    collectors = openCollectors(),
  ) {
    this.#place = { folder, kind, generation, codec };
    this.#kind = kind;
    this.#collectors = collectors;
  }

  /** Adds a document. The caller must wait for the promise before adding the next. */
  async add(document: IndexedDocument): Promise<void> {
    const units = cutUnits(document.text);
    if (this.#open?.isFull(document.text.length, units.length) === true) await this.#finishOpen();
    this.#open ??= openSegment(this.#place, document.oid.length / 2, this.#collectors);
    this.#open.add(document, units);
  }

  /** Finishes the last segment; everything is then on disk. Returns no entry if nothing was added. */
  async finish(): Promise<SegmentEntry[]> {
    await this.#finishOpen();
    return this.#finished;
  }

  /** Deletes all files that were written. */
  abandon(): void {
    this.#open?.abandon();
    for (const { file, symbols } of this.#finished) {
      for (const name of symbols === undefined ? [file] : [file, symbols.file])
        rmSync(join(this.#place.folder, name), { force: true });
    }
  }

  async #finishOpen(): Promise<void> {
    if (this.#open === undefined) return;
    this.#finished.push({ kind: this.#kind, dead: 0, ...(await this.#open.finish()) });
    this.#open = undefined;
  }
}
