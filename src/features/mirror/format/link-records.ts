/** A mirrored file that an address leads to. */
export interface LinkTarget {
  /** Path from the root of the context repository. */
  readonly path: string;
  /** Text for an address that stands without one: `ENG-12`. */
  readonly label: string;
  /** Why the file was not copied, if the path leads to a note in its place; a text without quotes and brackets. */
  readonly missing?: string | undefined;
}

/**
 * Replaces addresses of mirrored records in Markdown by relative paths, so that they lead from file to file. Code stays
 * as it is, and so does every address for which `find` returns nothing. Takes linear time.
 * @param from path of the file that contains the text
 */
export function linkRecords(
  text: string,
  from: string,
  find: (url: string) => LinkTarget | undefined,
): string {
  let fence: string | undefined;
  const linked = text.split('\n').map((line) => {
    const [, marker] = fenceLine.exec(line) ?? [];
    if (fence !== undefined) {
      if (marker?.startsWith(fence) === true) fence = undefined;
      return line;
    }
    fence = marker;
    return marker === undefined ? linkLine(line, from, find) : line;
  });
  return linked.join('\n');
}

/** Returns the path that leads from one file to another one. */
export function relativePath(from: string, to: string): string {
  const source = from.split('/').slice(0, -1);
  const target = to.split('/');
  const differs = source.findIndex((name, index) => name !== target[index]);
  const shared = differs === -1 ? source.length : differs;
  return [...source.slice(shared).map(() => '..'), ...target.slice(shared)].join('/');
}

/** The start or end of a block of code, also in a quotation or list. */
const fenceLine = /^[ \t>*+-]*(`{3,}|~{3,})/u;

const inAddress = String.raw`[^\s<>()[\]"'\x60|\\]`;
/**
 * Pattern of an address in Markdown. Its parentheses are balanced, up to one pair inside another. Takes linear time,
 * because a parenthesis that is not closed ends the address.
 */
export const addressPattern = String.raw`https?:\/\/(?:${inAddress}|\((?:${inAddress}|\(${inAddress}*\))*\))+`;

/** Runs of backquotes, brackets and addresses. */
const tokenPattern = new RegExp(String.raw`\x60+|[[\]]|${addressPattern}`, 'gu');

function linkLine(line: string, from: string, find: (url: string) => LinkTarget | undefined): string {
  const tokens = [...line.matchAll(tokenPattern)];
  const lastRun = new Map(
    tokens.filter(([run]) => run.startsWith('`')).map(({ 0: run, index }) => [run, index]),
  );
  let code: string | undefined;
  const open: number[] = [];
  /** The text of a link that ended last: `[text]`. */
  let closed = 0;
  let done = 0;
  let linked = '';
  for (const { 0: token, index } of tokens) {
    if (token.startsWith('`')) {
      code = codeAfter(code, token, (lastRun.get(token) ?? 0) > index);
      continue;
    }
    if (code !== undefined) continue;
    if (token === '[') open.push(index);
    else if (token === ']') closed = open.pop() ?? 0;
    else {
      const address = token.replace(/[.,;:!?]{1,8}$/u, '');
      const found = find(address);
      const target = found && { ...found, path: relativePath(from, found.path) };
      const replaced = target && replacement(line, index, address, open.length, target);
      if (replaced === undefined) continue;
      const isImage = target?.missing !== undefined && replaced.inLink && open.length === 0;
      linked += beforeLink(line.slice(done, index - replaced.before), isImage, closed - done);
      linked += replaced.text;
      done = index + address.length + replaced.after;
    }
  }
  return linked + line.slice(done);
}

/** Returns the run of backquotes that code ends with, if a run is followed by code or lies in it. */
function codeAfter(code: string | undefined, run: string, isRepeated: boolean): string | undefined {
  if (code !== undefined) return run === code ? undefined : code;
  return isRepeated ? run : undefined;
}

/** Returns the text up to a target. An image of a note would show nothing: without its mark it becomes a link. */
function beforeLink(text: string, isImage: boolean, bracket: number): string {
  if (!isImage || bracket < 1 || text[bracket - 1] !== '!') return text;
  return text.slice(0, bracket - 1) + text.slice(bracket);
}

interface Replacement {
  readonly text: string;
  /** Characters before and after the address that are replaced too. */
  readonly before: number;
  readonly after: number;
  /** True for the target of a link or an image. */
  readonly inLink: boolean;
}

function replacement(
  line: string,
  index: number,
  address: string,
  brackets: number,
  target: LinkTarget,
): Replacement | undefined {
  const before = line.slice(Math.max(0, index - 4), index);
  const rest = line.slice(index + address.length, index + address.length + 2);
  const [, angle] = /(?:\]\(|\]: ?)(<?)$/u.exec(before) ?? [];
  if (angle !== undefined) return inLink(target, rest, angle === '' ? '' : '>', before.includes(']('));
  const [, quote] = /=(["'])$/u.exec(before) ?? [];
  if (quote !== undefined) return inAttribute(target, rest, quote);
  // A link inside the text of a link is not one.
  if (brackets > 0) return undefined;
  const inAngles = before.endsWith('<') && rest.startsWith('>') ? 1 : 0;
  const text = `[${target.label}](${target.path}${titleOf(target)})`;
  return { text, before: inAngles, after: inAngles, inLink: false };
}

function titleOf({ missing }: LinkTarget): string {
  return missing === undefined ? '' : ` "not copied: ${missing}"`;
}

/** Replaces the target of a link or a definition. A link with a title of its own keeps it. */
function inLink(target: LinkTarget, rest: string, close: string, isLink: boolean): Replacement {
  const title = titleOf(target);
  const isLast = rest.startsWith(close) && /^\)?$/u.test(rest.slice(close.length, close.length + 1));
  if (title === '' || !isLast) return { text: target.path, before: 0, after: 0, inLink: isLink };
  return { text: `${target.path}${close}${title}`, before: 0, after: close.length, inLink: isLink };
}

function inAttribute({ path, missing }: LinkTarget, rest: string, quote: string): Replacement {
  const title = missing === undefined || !rest.startsWith(quote) ? '' : missing;
  const text = title === '' ? path : `${path}${quote} title=${quote}not copied: ${title}`;
  return { text, before: 0, after: 0, inLink: false };
}
