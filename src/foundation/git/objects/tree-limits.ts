import { InvalidInput } from '../../kernel/errors.ts';

/**
 * The limits of a commit. Without them a small pack could be a bomb: nested trees of identical entries have a
 * thousand million paths in some kilobytes.
 */
export interface TreeLimits {
  /** Maximum number of files and folders. */
  readonly entries: number;
  /** Maximum total length of all paths, in bytes. */
  readonly pathBytes: number;
  /** Maximum length of one path, in bytes. */
  readonly pathLength: number;
  /** Maximum nesting of folders. */
  readonly depth: number;
}

export const treeLimits: TreeLimits = {
  entries: 500_000,
  pathBytes: 256 * 1024 ** 2,
  pathLength: 4_096,
  depth: 256,
};

/** Returns a function that counts paths. @throws InvalidInput `too_many_files` naming the limit that is exceeded. */
export function withinTreeLimits(limits: TreeLimits): (path: Buffer) => void {
  let [entries, bytes] = [0, 0];
  return (path) => {
    entries += 1;
    bytes += path.length;
    if (entries > limits.entries) throw tooMany(`more than ${limits.entries} files and folders`);
    if (bytes > limits.pathBytes) throw tooMany(`paths of more than ${limits.pathBytes} bytes together`);
    if (path.length > limits.pathLength) throw tooMany(`a path longer than ${limits.pathLength} bytes`);
    if (depthOf(path) > limits.depth) throw tooMany(`more than ${limits.depth} folders inside one another`);
  };
}

function tooMany(what: string): InvalidInput {
  const message = `The commit holds ${what}, and no such commit is indexed. Remove what is generated, then sync.`;
  return new InvalidInput(message, { code: 'too_many_files' });
}

function depthOf(path: Buffer): number {
  let depth = 0;
  for (let at = path.indexOf(0x2f); at !== -1; at = path.indexOf(0x2f, at + 1)) depth += 1;
  return depth;
}
