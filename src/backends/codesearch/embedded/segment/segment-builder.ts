import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SegmentEntry } from '../format/manifest.ts';
import type { Codec } from '../format/segment-sections.ts';
import { type Collectors, openCollectors } from './collectors.ts';
import { cutUnits } from './cut-units.ts';
import { type IndexedDocument, type OpenSegment, openSegment, type SegmentPlace } from './open-segment.ts';

/** Takes documents in static order and writes them into segments of `folder`, a new one whenever one is full. */
export class SegmentBuilder {
  readonly #place: SegmentPlace;
  readonly #kind: SegmentEntry['kind'];
  readonly #finished: SegmentEntry[] = [];
  readonly #collectors: Collectors;
  #open: OpenSegment | undefined;

  /** `collectors` are empty, and are again after `finish`. */
  constructor(
    folder: string,
    generation: number,
    kind: SegmentEntry['kind'],
    codec: Codec = 'raw',
    collectors = openCollectors(),
  ) {
    this.#place = { folder, prefix: `${kind}-${generation}`, codec };
    this.#kind = kind;
    this.#collectors = collectors;
  }

  /** One at a time: the next waits for the promise. */
  async add(document: IndexedDocument): Promise<void> {
    const units = cutUnits(document.text);
    if (this.#open?.isFull(document.text.length, units.length) === true) await this.#finishOpen();
    this.#open ??= openSegment(this.#place, document.oid.length / 2, this.#collectors);
    this.#open.add(document, units);
  }

  /** Everything is on disk afterwards. None when nothing was added. */
  async finish(): Promise<SegmentEntry[]> {
    await this.#finishOpen();
    return this.#finished;
  }

  /** Leaves nothing behind. */
  abandon(): void {
    this.#open?.abandon();
    for (const { file } of this.#finished) rmSync(join(this.#place.folder, file), { force: true });
  }

  async #finishOpen(): Promise<void> {
    if (this.#open === undefined) return;
    this.#finished.push({ kind: this.#kind, dead: 0, ...(await this.#open.finish()) });
    this.#open = undefined;
  }
}
