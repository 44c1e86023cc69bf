import { isLink, type PlannedFile } from '../segment/planned-file.ts';

/** Files of commits without a document, with the branches that contain them. */
export interface PendingFiles {
  /** Adds a file to a branch. The same path, content and kind on several branches is one file. */
  add(bit: number, file: PlannedFile): void;
  remove(bit: number, path: string): void;
  clear(bit: number): void;
  copy(from: number, to: number): void;
  /** Returns the files that are on at least one branch. */
  all(): PlannedFile[];
}

interface Pending {
  readonly file: PlannedFile;
  readonly mask: [low: number, high: number];
}

export function pendingFiles(): PendingFiles {
  const byPath = new Map<string, Pending[]>();
  const each = (visit: (mask: Pending['mask']) => void): void => {
    for (const files of byPath.values()) for (const { mask } of files) visit(mask);
  };
  return {
    add: (bit, file) => {
      const files = byPath.get(file.path) ?? [];
      byPath.set(file.path, files);
      let pending = files.find(({ file: known }) => isSameFile(known, file));
      if (pending === undefined) files.push((pending = { file, mask: [0, 0] }));
      set(pending.mask, bit);
    },
    remove: (bit, path) => {
      for (const { mask } of byPath.get(path) ?? []) unset(mask, bit);
    },
    clear: (bit) => each((mask) => unset(mask, bit)),
    copy: (from, to) =>
      each((mask) => {
        if (has(mask, from)) set(mask, to);
      }),
    all: () =>
      [...byPath.values()]
        .flat()
        .filter(({ mask: [low, high] }) => (low | high) !== 0)
        .map(({ file, mask }) => ({ ...file, branches: mask })),
  };
}

function isSameFile(a: PlannedFile, b: PlannedFile): boolean {
  return a.oid === b.oid && isLink(a.skipped) === isLink(b.skipped);
}

function has(mask: Pending['mask'], bit: number): boolean {
  return ((mask[bit < 32 ? 0 : 1] >>> (bit % 32)) & 1) === 1;
}

function set(mask: Pending['mask'], bit: number): void {
  const word = bit < 32 ? 0 : 1;
  mask[word] = (mask[word] | (1 << (bit % 32))) >>> 0;
}

function unset(mask: Pending['mask'], bit: number): void {
  const word = bit < 32 ? 0 : 1;
  mask[word] = (mask[word] & ~(1 << (bit % 32))) >>> 0;
}
