/** Bytes. What lists and reads commits takes longer paths; a checkout on another system may not. */
const maxPathBytes = 1_024;
/** Bytes: the longest name that common file systems take. */
const maxNameBytes = 255;

/**
 * Characters that nobody sees or that change the direction of text (HFS+ leaves some of them out of names, so that two
 * become one), and those that Windows has no name for: a checkout there would fail as a whole.
 */
const forbidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>:"|?*\\]/u;

/**
 * Names that file systems which fold case, drop dots and blanks at the end, or have short names, take for Git's own
 * (git-fsck(1): hasDotgit, gitmodulesName; CVE-2014-9390). With them what else begins with `.git`: attributes and modules
 * tell a checkout what to do.
 */
const gitOwn = /^\.git|^(?:git[a-z]{0,3}|gi[\da-f]{4})~\d/i;

/** Windows opens a device under such a name, whatever ending it has (CON, aux.md). */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/**
 * What keeps a path from being written, as an end of a sentence that begins with it; `undefined` for a path that may be.
 * It is relative, in NFC, of two names or more, and lies in one of `roots`.
 */
export function writablePathFault(path: string, roots: readonly string[]): string | undefined {
  const names = path.split('/');
  if (!path.isWellFormed() || path.normalize('NFC') !== path) return 'is not Unicode text in NFC.';
  if (forbidden.test(path)) return 'holds a control or invisible character, or one of < > : " | ? * \\.';
  if (Buffer.byteLength(path) > maxPathBytes) return `is longer than ${maxPathBytes} bytes.`;
  if (names.length < 2 || !roots.includes(names[0] ?? ''))
    return `is not inside ${roots.map((root) => `${root}/`).join(' or ')}.`;
  return names.map(nameFault).find((fault) => fault !== undefined);
}

function nameFault(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'has an empty name, "." or ".." in it.';
  if (gitOwn.test(name)) return 'has a name in it that is kept for Git.';
  if (device.test(name)) return 'has a name in it that is a device on Windows.';
  if (/[. ]$/.test(name)) return 'has a name in it that ends in a dot or a blank.';
  if (Buffer.byteLength(name) > maxNameBytes) return `has a name of more than ${maxNameBytes} bytes in it.`;
  return undefined;
}
