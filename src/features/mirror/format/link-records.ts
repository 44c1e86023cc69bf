/** A mirrored file that an address leads to. */
export interface LinkTarget {
  /** Path from the root of the context repository. */
  readonly path: string;
  /** Text for an address that stands without one: `ENG-12`. */
  readonly label: string;
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

/** Runs of backquotes, brackets and addresses. */
const token = /`+|[[\]]|https?:\/\/[^\s<>()[\]"'`|\\]+/gu;

function linkLine(line: string, from: string, find: (url: string) => LinkTarget | undefined): string {
  const tokens = [...line.matchAll(token)];
  const lastRun = new Map(
    tokens.filter(([run]) => run.startsWith('`')).map(({ 0: run, index }) => [run, index]),
  );
  let code: string | undefined;
  let brackets = 0;
  let done = 0;
  let linked = '';
  for (const { 0: found, index } of tokens) {
    if (found.startsWith('`')) {
      if (code === undefined) code = (lastRun.get(found) ?? 0) > index ? found : undefined;
      else if (found === code) code = undefined;
    } else if (code === undefined && found === '[') brackets++;
    else if (code === undefined && found === ']') brackets = Math.max(0, brackets - 1);
    else if (code === undefined) {
      const address = found.replace(/[.,;:!?]{1,8}$/u, '');
      const target = find(address);
      const replaced =
        target && replacement(line, index, address, brackets, relativePath(from, target.path), target.label);
      if (replaced === undefined) continue;
      linked += line.slice(done, index - replaced.before) + replaced.text;
      done = index + address.length + replaced.after;
    }
  }
  return linked + line.slice(done);
}

interface Replacement {
  readonly text: string;
  /** Characters before and after the address that are replaced too. */
  readonly before: number;
  readonly after: number;
}

function replacement(
  line: string,
  index: number,
  address: string,
  brackets: number,
  path: string,
  label: string,
): Replacement | undefined {
  const before = line.slice(Math.max(0, index - 4), index);
  if (/\]\(<?$|\]: ?<?$|=["']$/u.test(before)) return { text: path, before: 0, after: 0 };
  // A link inside the text of a link is not one.
  if (brackets > 0) return undefined;
  const inAngles = before.endsWith('<') && line[index + address.length] === '>' ? 1 : 0;
  return { text: `[${label}](${path})`, before: inAngles, after: inAngles };
}
