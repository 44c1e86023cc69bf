/**
 * Maximum length of a path, in bytes. Listing and reading commits accepts longer paths, but a checkout on another
 * system may not.
 */
const maxPathBytes = 1_024;
/** Maximum length of a name on common file systems, in bytes. */
const maxNameBytes = 255;

/**
 * Invisible and bidirectional characters (HFS+ ignores some of them in names, so that two names become one), and
 * those that Windows does not permit in names: a checkout there would fail as a whole.
 */
const forbidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>:"|?*\\]/u;

/**
 * Names that some file systems (those that fold case, drop trailing dots and blanks, or have short names) treat as
 * Git's own (git-fsck(1): hasDotgit, gitmodulesName; CVE-2014-9390), and everything else that begins with `.git`:
 * attributes and modules control a checkout.
 */
const gitOwn = /^\.git|^(?:git[a-z]{0,3}|gi[\da-f]{4})~\d/i;

/** Names under which Windows opens a device, with any extension (CON, aux.md). */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/**
 * Returns why a path must not be written, as the end of a sentence that begins with the path; `undefined` for a
 * permitted path. A permitted path is relative, in NFC, has at least two names, and is inside one of `roots`.
 */
export function writablePathError(path: string, roots: readonly string[]): string | undefined {
  const names = path.split('/');
  if (!path.isWellFormed() || path.normalize('NFC') !== path) return 'is not Unicode text in NFC.';
  if (forbidden.test(path)) return 'contains a control or invisible character, or one of < > : " | ? * \\.';
  if (Buffer.byteLength(path) > maxPathBytes) return `is longer than ${maxPathBytes} bytes.`;
  if (names.length < 2 || !roots.includes(names[0] ?? ''))
    return `is not inside ${roots.map((root) => `${root}/`).join(' or ')}.`;
  return names.map(nameError).find((error) => error !== undefined);
}

function nameError(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'contains an empty name, "." or "..".';
  if (gitOwn.test(name)) return 'contains a name that is reserved for Git.';
  if (device.test(name)) return 'contains a name that is a device on Windows.';
  if (/[. ]$/.test(name)) return 'contains a name that ends in a dot or a blank.';
  if (Buffer.byteLength(name) > maxNameBytes) return `contains a name of more than ${maxNameBytes} bytes.`;
  return undefined;
}
