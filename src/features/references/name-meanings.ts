import { addTo } from '../../foundation/kernel/add-to.ts';
import { lowerBound } from '../../foundation/kernel/lower-bound.ts';
import type { Certainty } from '../knowledge/certainty.ts';
import { fileKey, placeOfKey } from '../knowledge/links/keys.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { NameUse, NameUses } from '../knowledge/queries/name-uses.ts';

/**
 * Says what is known of a line. `written`: its text or an import says the package of the name. `text`: the graph does
 * not connect it with a definition. Left out are lines that certainly mean another definition (`elsewhere`), and
 * `others` that only have the last part of a name.
 */
export type LineCertainty = Certainty | 'written' | 'text' | 'elsewhere' | 'others';

/** The meaning of a name in a line. */
export interface Meaning {
  readonly certainty: LineCertainty;
  /** The key of the definition around the line. */
  readonly from?: string;
  /** The definitions that are meant. */
  readonly to: readonly DefinedName[];
  /** Definitions that the line may run instead of those that it certainly means. */
  readonly may?: readonly DefinedName[];
  /** The rule of the graph by which they are. */
  readonly reason?: string;
}

/** A line that uses a definition under another name. */
export interface OtherName {
  readonly repositoryId: string;
  readonly path: string;
  readonly line: number;
  readonly meaning: Meaning;
}

/** From a line on, the innermost definition around the lines up to the next segment. */
interface Segment {
  readonly start: number;
  readonly around: DefinedName | undefined;
  /** The meaning of the name by the definition around it; computed when first asked for, as `unknown` is. */
  usual?: Meaning;
  /** Its meaning where nothing is known. */
  unknown?: Meaning;
}

/** The meaning of a name in a line that the graph does not connect with a definition. */
export const unknownMeaning: Meaning = { certainty: 'text', to: [] };

/** Number of lines around the line of an import in which its statement may name what it imports. */
const importLines = 30;
/** Number of lines after the first one of an expression that may have the name: `lease⏎.renew()`. */
const expressionLines = 10;

type Meant = Omit<Meaning, 'from'>;

/** Holds what is known of a file. Most files have one use, so that a map is only made for its first entry. */
interface FileMeanings {
  /** Definitions that enclose lines, the outer one before those inside of it. */
  readonly enclosing: DefinedName[];
  /** The definitions that begin or go on at lines, in ascending order; computed when first asked for. */
  segments?: readonly Segment[];
  /** Uses without lines of their own, by the key of what is around them. */
  uses?: Map<string, NameUse[]>;
  /** Uses by their lines. */
  usesByLine?: Map<number, NameUse[]>;
  readonly imports: NameUse[];
  /** Definitions of the name, by their lines. */
  definitions?: Map<number, DefinedName[]>;
}

/**
 * Tells what a name means in each line, from the edges of the graph. These lead from the definition around a use to its
 * target, and the same name in the same definition means the same, but where a use has its lines (`onlyLines`).
 */
export class NameMeanings {
  /** By repository and path. */
  readonly #files = new Map<string, Map<string, FileMeanings>>();
  /** By the key of what is around a use: a use of a frequent name has many candidates. */
  readonly #byKey = new Map<string, FileMeanings>();
  readonly #definitions: ReadonlyMap<string, DefinedName>;
  readonly #uses: readonly NameUse[];
  readonly #known = new WeakMap<readonly NameUse[], Meant>();

  constructor({ definitions, uses, imports, enclosing }: NameUses) {
    this.#definitions = new Map(definitions.map((each) => [each.key, each]));
    this.#uses = uses;
    const around = new Map([...definitions, ...enclosing].map((each) => [each.key, each]));
    const inOrder = [...around.values()].toSorted(
      (one, other) => one.line - other.line || other.endLine - one.endLine,
    );
    for (const each of inOrder) this.#file(each).enclosing.push(each);
    for (const each of definitions) addTo((this.#file(each).definitions ??= new Map()), each.line, each);
    for (const use of uses) {
      const file = this.#fileOf(use);
      const { line, onlyLines } = use;
      if (onlyLines === undefined) addTo((file.uses ??= new Map()), use.from, use);
      const lines = onlyLines ?? (line === undefined ? [] : [line]);
      for (const each of lines) addTo((file.usesByLine ??= new Map()), each, use);
    }
    for (const use of imports) this.#fileOf(use).imports.push(use);
  }

  /** Returns the paths of the files of which something is known. */
  pathsIn(repositoryId: string): Iterable<string> {
    return this.#files.get(repositoryId)?.keys() ?? [];
  }

  /**
   * Returns what tells the meanings of the name in the lines of a file that contain it; `undefined` if it is unknown in
   * all of them. The lines of a definition that mean the same share one object.
   */
  ofFile(repositoryId: string, path: string): ((line: number) => Meaning) | undefined {
    const file = this.#files.get(repositoryId)?.get(path);
    if (file === undefined) return undefined;
    const key = fileKey(repositoryId, path);
    file.segments ??= segmentsOf(file.enclosing);
    const { segments } = file;
    const imported = file.imports.toSorted((one, other) => lineOf(one) - lineOf(other));
    return (line) => {
      const defined = file.definitions?.get(line);
      if (defined !== undefined) return { certainty: 'certain', to: defined };
      const segment = segmentAt(segments, line);
      const from = segment.around;
      const uses = file.usesByLine?.get(line);
      if (uses !== undefined) return { ...fromOf(uses[0]?.from), ...this.#meaningOf(uses) };
      segment.usual ??= this.#usualIn(file.uses?.get(from?.key ?? key), from);
      if (segment.usual !== unknownMeaning) return segment.usual;
      const imports = importsAt(imported, line, from);
      if (imports.length > 0) return { ...fromOf(from?.key), ...this.#meaningOf(imports) };
      return (segment.unknown ??= { ...fromOf(from?.key), ...unknownMeaning });
    };
  }

  /** Returns what the name means in all lines of a definition, or of a file outside of all. */
  #usualIn(uses: readonly NameUse[] | undefined, around: DefinedName | undefined): Meaning {
    if (uses !== undefined) return { ...fromOf(around?.key), ...this.#meaningOf(uses) };
    const isOwn = around !== undefined && this.#definitions.has(around.key);
    return isOwn ? insideOf(around) : unknownMeaning;
  }

  /**
   * Returns the lines that certainly use a definition where no line has its name. `lines` returns those of a file that
   * have it, in ascending order.
   */
  otherNames(lines: (repositoryId: string, path: string) => ArrayLike<number>): readonly OtherName[] {
    const found = new Map<string, OtherName>();
    for (const use of this.#uses) {
      const { line, certainty } = use;
      const place = line === undefined || certainty !== 'certain' ? undefined : placeOfKey(use.from);
      if (line === undefined || place === undefined) continue;
      const own = lines(place.repositoryId, place.path);
      const next = own[lowerBound(own.length, (index) => own[index]! >= line)];
      const hasName = next !== undefined && next <= line + expressionLines;
      const id = `${place.repositoryId}:${place.path}:${line}`;
      if (hasName || found.has(id)) continue;
      found.set(id, { ...place, line, meaning: { ...fromOf(use.from), ...this.#meaningOf([use]) } });
    }
    return [...found.values()];
  }

  #meaningOf(uses: readonly NameUse[]): Meant {
    const known = this.#known.get(uses) ?? this.#meant(uses);
    this.#known.set(uses, known);
    return known;
  }

  #meant(uses: readonly NameUse[]): Meant {
    const certain = uses.filter(({ certainty }) => certainty === 'certain');
    const meant = certain.length > 0 ? certain : uses;
    const to = this.#targetsOf(meant);
    const may = certain.length > 0 ? this.#targetsOf(uses).filter((each) => !to.includes(each)) : [];
    const [first] = meant;
    return {
      certainty: certain.length > 0 ? 'certain' : 'possible',
      to,
      ...(may.length === 0 ? {} : { may }),
      ...(first === undefined ? {} : { reason: first.rule }),
    };
  }

  #targetsOf(uses: readonly NameUse[]): readonly DefinedName[] {
    return [...new Set(uses.map((use) => use.to))].flatMap((key) => this.#definitions.get(key) ?? []);
  }

  #fileOf({ from }: NameUse): FileMeanings {
    const file = this.#byKey.get(from) ?? this.#file(placeOfKey(from) ?? { repositoryId: '', path: from });
    this.#byKey.set(from, file);
    return file;
  }

  #file({ repositoryId, path }: Pick<DefinedName, 'repositoryId' | 'path'>): FileMeanings {
    const files = this.#files.get(repositoryId) ?? new Map<string, FileMeanings>();
    this.#files.set(repositoryId, files);
    const known = files.get(path);
    if (known !== undefined) return known;
    const file: FileMeanings = { enclosing: [], imports: [] };
    files.set(path, file);
    return file;
  }
}

/** Returns the meaning of a name inside of its own definition. A member may be called on another object there. */
function insideOf(definition: DefinedName): Meaning {
  const certainty = isMember(definition) ? 'possible' : 'certain';
  return { certainty, from: definition.key, to: [definition], reason: 'inside-its-definition' };
}

/** Returns whether a definition is used behind an object. */
export function isMember({ kind }: DefinedName): boolean {
  return kind === 'method' || kind === 'field';
}

/** Returns the imports that a line is a part of: outside of all definitions, those near it. They are ordered by lines. */
function importsAt(
  imports: readonly NameUse[],
  line: number,
  around: DefinedName | undefined,
): readonly NameUse[] {
  const near = around === undefined ? importLines : 1;
  const firstFrom = (from: number): number =>
    lowerBound(imports.length, (index) => lineOf(imports[index]!) >= from);
  return imports.slice(firstFrom(line - near + 1), firstFrom(line + near));
}

/** Returns the line of a use; one that is near no other if it has none. */
function lineOf({ line = -importLines }: NameUse): number {
  return line;
}

/** Returns the segments of a file from line 0 on. The definitions are ordered as those that enclose lines. */
function segmentsOf(definitions: readonly DefinedName[]): readonly Segment[] {
  const segments: Segment[] = [{ start: 0, around: undefined }];
  const open: DefinedName[] = [];
  const closeBefore = (line: number): void => {
    for (let last = open.at(-1); last !== undefined && last.endLine < line; last = open.at(-1)) {
      open.pop();
      segments.push({ start: last.endLine + 1, around: open.at(-1) });
    }
  };
  for (const each of definitions) {
    closeBefore(each.line);
    open.push(each);
    segments.push({ start: each.line, around: each });
  }
  closeBefore(Number.POSITIVE_INFINITY);
  return segments;
}

function segmentAt(segments: readonly Segment[], line: number): Segment {
  const next = lowerBound(segments.length, (index) => segments[index]!.start > line);
  return segments[next - 1]!;
}

/** Returns the part of a meaning that says which definition is around. */
export function fromOf(from: string | undefined): Pick<Meaning, 'from'> {
  return from === undefined ? {} : { from };
}
