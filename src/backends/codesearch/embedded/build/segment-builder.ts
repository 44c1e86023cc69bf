import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SegmentEntry } from '../format/manifest.ts';
import { cutUnits } from './cut-units.ts';
import { type IndexedDocument, type OpenSegment, openSegment } from './open-segment.ts';

/** Takes documents in static order and writes them into segments of `folder`, a new one whenever one is full. */
export class SegmentBuilder {
  readonly #folder: string;
  readonly #prefix: string;
  readonly #kind: SegmentEntry['kind'];
  readonly #finished: SegmentEntry[] = [];
  #open: OpenSegment | undefined;

  constructor(folder: string, generation: number, kind: SegmentEntry['kind']) {
    this.#folder = folder;
    this.#prefix = `${kind}-${generation}`;
    this.#kind = kind;
  }

  add(document: IndexedDocument): void {
    const units = cutUnits(document.text);
    if (this.#open?.isFull(document.text.length, units.length) === true) this.#finishOpen();
    const segment = this.#open ?? openSegment(this.#folder, this.#prefix, document.oid.length / 2);
    this.#open = segment;
    segment.add(document, units);
  }

  /** Everything is on disk afterwards. None when nothing was added. */
  finish(): SegmentEntry[] {
    this.#finishOpen();
    return this.#finished;
  }

  /** Leaves nothing behind. */
  abandon(): void {
    this.#open?.abandon();
    for (const { file } of this.#finished) rmSync(join(this.#folder, file), { force: true });
  }

  #finishOpen(): void {
    if (this.#open === undefined) return;
    this.#finished.push({ kind: this.#kind, dead: 0, ...this.#open.finish() });
    this.#open = undefined;
  }
}
