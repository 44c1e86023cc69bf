import { pathBytes } from './path-text.ts';

/** Maximum length of a name, as in the file systems that Git checks out to. */
const maxNameBytes = 255;

/**
 * Returns whether the name of a tree entry can be that of a file. Git itself permits no others but long ones, so only
 * forged trees contain them, and a program that trusts such a name leaves its folder (gitglossary: tree object;
 * git-fsck(1): hasDot, hasDotdot, hasDotgit). `bytes` is the length of the name in the tree.
 */
export function isSafeName(name: string, bytes = bytesOf(name)): boolean {
  const isShort = bytes <= maxNameBytes;
  return isShort && !/^(?:|\.{1,2}|\.git)$/i.test(name) && !name.includes('/') && !name.includes('\0');
}

/** Returns the length of a name that `pathText` converted. */
function bytesOf(name: string): number {
  // A character is three bytes at most.
  return name.length <= maxNameBytes / 3 ? name.length : pathBytes(name).length;
}

/**
 * Returns a check for the entries of a recursive listing, in order, folders before their content: true for a name
 * that is unsafe or a duplicate in its folder, and for everything below such a folder.
 */
export function unsafeEntries(): (type: string, path: string) => boolean {
  const seen = new Set<string>();
  const open = [{ prefix: '', unsafe: false }];
  return (type, path) => {
    let parent = open.at(-1);
    while (parent !== undefined && !path.startsWith(parent.prefix)) {
      open.pop();
      parent = open.at(-1);
    }
    const name = path.slice(parent?.prefix.length);
    const unsafe = parent?.unsafe === true || !isSafeName(name) || seen.has(path);
    seen.add(path);
    if (type === 'tree') open.push({ prefix: `${path}/`, unsafe });
    return unsafe;
  };
}
