/**
 * Returns whether Git itself permits the name of a tree entry. Only forged trees contain others, and a program that
 * trusts such a name leaves its folder (gitglossary: tree object; git-fsck(1): hasDot, hasDotdot, hasDotgit).
 */
export function isSafeName(name: string): boolean {
  return !/^(?:|\.{1,2}|\.git)$/i.test(name) && !name.includes('/') && !name.includes('\0');
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
