import type { GraphNode } from '../../../../backends/graph/port.ts';
import { fileKey } from '../../../knowledge/links/keys.ts';
import { reached, step } from '../../../knowledge/queries/related-node.ts';
import { looksLikeCode } from '../../question/prompt/read-prompt.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Target } from '../targets/target.ts';
import { isTestPath } from '../test-path.ts';
import { columnsOf } from './classify-use.ts';
import { type FoundUse, findUses } from './find-uses.ts';
import type { UsedName } from './used-name.ts';

/** Maximum numbers of lines that are found, and of other definitions of a name that text can tell. */
const max = { lines: 80, others: 2 } as const;

/** Returns the lines of code that contain a name and may mean this definition, without those that define it. */
export async function usesInText(inquiry: Inquiry, used: UsedName): Promise<readonly FoundUse[]> {
  const { name, target, dependents, others } = used;
  const { ranked } = inquiry;
  const isDistinct = looksLikeCode(name) && others.length <= max.others;
  const isKnown = dependents.length > 0 && isFunction(target?.node);
  const written = ranked.subject.identifiers.filter((one) => one.endsWith(`.${name}`));
  const defining = new Set([target, ...others].flatMap((one) => one?.file ?? []));
  const own = ranked.repositories.filter(({ id }) => id === target?.repositoryId);
  const where = own.length === 0 ? {} : { repositories: own };
  const found = await findUses(inquiry, name, { lines: max.lines, ...where });
  const uses = found.filter((use) => isUse(use, used, isDistinct));
  if (isDistinct || target === undefined) return uses;
  // A method whose name is a word, or that many classes have, is known by what stands before it.
  if (isKnown)
    return uses.filter(
      ({ source, text }) =>
        written.some((one) => text.includes(`${one}(`)) ||
        (defining.has(fileKey(source.repositoryId, source.path)) && isOwnCall(text, name)),
    );
  const files = isUnusedType(used) ? undefined : await importersOf(inquiry, target);
  const modules = new Set([...own.map((one) => one.name), ...target.path.split('/').slice(0, -1)]);
  return uses.filter(({ source, text }) => {
    if (isNamedByPath(text, name)) return true;
    if (isType(target.node) && isOfOtherModule(text, name, modules)) return false;
    return files === undefined || files.has(fileKey(source.repositoryId, source.path));
  });
}

function isUse(
  { kinds, isSymbol, text }: FoundUse,
  { name, target }: UsedName,
  isDistinct: boolean,
): boolean {
  if (isSymbol || !(kinds.has('read') || kinds.has('set'))) return false;
  const isMember = !isType(target?.node) && String(target?.node.props['qualifiedName'] ?? '').includes('.');
  return !isMember || (isDistinct && !isFunction(target?.node)) || isMemberUse(text, name);
}

/** Returns whether a text of a line is a path that ends with a name: `"app.retry.Policy"`. */
function isNamedByPath(text: string, name: string): boolean {
  return columnsOf(text, name).some(
    (at) =>
      /["'`][\w.:/\\-]{1,200}[.:/\\]$/u.test(text.slice(0, at)) &&
      /^["'`]/u.test(text.slice(at + name.length)),
  );
}

/** Returns the file of a definition and those that import it. */
async function importersOf({ view, scope }: Inquiry, { file }: Target): Promise<ReadonlySet<string>> {
  const found = await step(view.graph, scope, { from: [file], direction: 'in', kinds: ['imports'] });
  return new Set([file, ...reached(found, [file], ['file']).map(({ node }) => node.key)]);
}

/** Returns whether a definition is called. */
export function isFunction(node: GraphNode | undefined): boolean {
  return /^(?:function|method|constructor)$/u.test(String(node?.props['kind']));
}

function isType(node: GraphNode | undefined): boolean {
  return /^(?:class|struct|interface|enum|trait|module|type)$/u.test(String(node?.props['kind']));
}

/** Returns whether a type is named like no word of prose, and the graph knows no use of it in the product. */
function isUnusedType({ name, target, dependents, others }: UsedName): boolean {
  const isCapital = isType(target?.node) && /^\p{Lu}\w{3}/u.test(name);
  return isCapital && others.length <= max.others && dependents.every(({ node }) => isTestPath(node.key));
}

/** Returns whether a line has a name only after that of another module, such as `context.Context`. */
function isOfOtherModule(text: string, name: string, modules: ReadonlySet<string>): boolean {
  return columnsOf(text, name).every((at) => {
    const before = /(?<![\w.])([a-z]\w*)\.$/u.exec(text.slice(0, at))?.[1];
    return before !== undefined && !modules.has(before);
  });
}

/** Returns whether a line calls a function of its own class: without a receiver, or of `this` or `self`. */
function isOwnCall(text: string, name: string): boolean {
  return columnsOf(text, name).some(
    (at) =>
      /(?:^|[^\w$.)\]>:]|\b(?:this|self)\.)$/u.test(text.slice(0, at)) && text[at + name.length] === '(',
  );
}

/** A member is used with what it belongs to, by its name in a string, or as a key; alone, its name is a variable. */
function isMemberUse(text: string, name: string): boolean {
  if (isCallOf(text, name)) return true;
  return columnsOf(text, name).some((at) => {
    const after = text.slice(at + name.length);
    return /["'`]$/u.test(text.slice(0, at)) || /^\s*(?::(?!:)|=(?![=>])\S)/u.test(after);
  });
}

/** Returns whether a line has a name as that of a member or of what is called. */
export function isCallOf(text: string, name: string): boolean {
  return columnsOf(text, name).some((at) => {
    const before = text.slice(Math.max(0, at - 3), at);
    return /(?:(?<!\.)\.|::|->|#)$/u.test(before) || /^\s*[(!]/u.test(text.slice(at + name.length));
  });
}
