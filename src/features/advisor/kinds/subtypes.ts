import { languageOf } from '../../../backends/codesearch/port.ts';
import { languages } from '../../../backends/languages/port.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import { type DefinedName, definitionsAt } from '../../knowledge/queries/file-definitions.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { partsOfName } from '../../search/symbol-name.ts';
import { findDefinitions } from '../evidence/find-named.ts';
import { codeOf, searchLines } from '../evidence/line-source.ts';
import { type CodeLine, placeText } from '../evidence/place-source.ts';
import { nextReferences, targetSentence, targetsIn, targetText } from '../evidence/target.ts';
import { type Finding, firstLines, type Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry, type Target } from '../inquiry.ts';
import { inlineCode, listSentence, namesOf } from '../text/markdown.ts';

/**
 * Numbers of types that are shown, of members that a type inherits, of types of a name that are tried, of steps between
 * two types, of repositories that are named, and of files whose lines are compared.
 */
const max = { shown: 10, members: 30, bases: 3, heirs: 8, steps: 4, named: 4, files: 200 } as const;

/**
 * Answers what directly implements or extends a type, or that nothing does. Returns `undefined` if the question asks
 * something else, or if the graph knows no subtype but a line of code may begin one.
 */
export async function subtypesAnswer(inquiry: Inquiry, target: Target): Promise<Finding | undefined> {
  if (!asksForSubtypes(inquiry.question.head, target)) return undefined;
  const { types: subtypes, isCut } = await relatedTypes(inquiry, target, 'in');
  const common = { next: nextReferences(inquiry, target), passages: 0 };
  if (subtypes.length === 0) {
    if (await mayBeExtended(inquiry, target)) return undefined;
    const where = namesOf(askedRepositories(inquiry), max.named);
    const lead = `No definition in ${where} implements or extends ${targetText(target)}.`;
    return { ...common, lines: [[lead]], isNotFound: true };
  }
  const lead = `Directly implement or extend ${targetText(target)}: ${counted(subtypes.length, 'definition')}`;
  return {
    ...common,
    lines: [[`${lead}.`], ...firstLines(subtypes, max.shown, (one) => targetSentence(inquiry, one))],
    notes: isCut ? ['There are more of them than were read.'] : [],
  };
}

/** Returns the types that inherit from one (`in`), or that it inherits from (`out`). */
async function relatedTypes(
  inquiry: Inquiry,
  { node: { key } }: Target,
  direction: 'in' | 'out',
): Promise<{ readonly types: readonly Target[]; readonly isCut: boolean }> {
  const asked = { from: [key], direction, kinds: ['inherits'] };
  const found = await step(inquiry.view.graph, inquiry.scope, asked);
  const nodes = reached(found, [key], ['symbol']).map(({ node }) => node);
  return { types: targetsIn(inquiry, nodes), isCut: found.truncated };
}

/** Matches a question for what a type inherits or extends, with its name and maybe that of the other type. */
const inherits =
  /\b(?:does|do)\s+(\S{2,80})\s+(?:inherit|extend)(?:\s+from\s+(?!in\b)([\p{L}\p{N}_$.:\\]{2,80}))?/u;

/**
 * Answers which members a type has from the type that the question names, or from each that it directly inherits from.
 * Returns `undefined` if no type of the name inherits so.
 */
export async function inheritedAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [, heirName = '', baseName] = inherits.exec(inquiry.question.head.replaceAll('`', '')) ?? [];
  const name = partsOfName(heirName).join('.');
  const heirs = name === '' ? [] : await findDefinitions(inquiry, name);
  for (const heir of heirs.slice(0, max.heirs)) {
    const bases = await basesOf(inquiry, heir, baseName);
    if (bases.length > 0) return inheritedMembers(inquiry, heir, bases);
  }
  return undefined;
}

/** Returns the types that a type directly inherits from, or the nearest with a name that it inherits from. */
async function basesOf(
  inquiry: Inquiry,
  heir: Target,
  wanted: string | undefined,
): Promise<readonly Target[]> {
  const name = wanted === undefined ? undefined : partsOfName(wanted).at(-1);
  let types: readonly Target[] = [heir];
  for (let steps = 0; steps < max.steps && types.length > 0; steps++) {
    const next = types.slice(0, max.bases).map((one) => relatedTypes(inquiry, one, 'out'));
    types = (await Promise.all(next)).flatMap((one) => one.types);
    const found = name === undefined ? types : types.filter(({ node }) => node.name === name);
    if (found.length > 0) return name === undefined ? found : found.slice(0, 1);
  }
  return [];
}

async function inheritedMembers(inquiry: Inquiry, heir: Target, bases: readonly Target[]): Promise<Finding> {
  const own = new Set((await membersOf(inquiry, heir)).map(({ name }) => name));
  const shown = bases.slice(0, max.bases);
  const lines = shown.map(async (type): Promise<readonly Sentence[]> => {
    // A constructor has the name of its type in some languages.
    const isInherited = ({ name }: { readonly name: string }) => !own.has(name) && name !== type.node.name;
    const members = (await membersOf(inquiry, type)).filter(isInherited);
    const count = counted(members.length, 'member');
    const { types } = await relatedTypes(inquiry, type, 'out');
    return [
      ['In ', ...targetSentence(inquiry, type), ` and not in ${targetText(heir)}: ${count}.`],
      ...firstLines(members, max.members, ({ name, line }) => {
        const at = placeText(type.repository.name, type.path, { first: line, last: line });
        return [`${inlineCode(name)} at ${at}`];
      }),
      ...listSentence('It inherits itself from ', types, max.named, (one) => [targetText(one)]),
    ];
  });
  const others = listSentence(
    `${targetText(heir)} also inherits from `,
    bases.slice(max.bases),
    max.named,
    (one) => [targetText(one)],
  );
  const next = shown.flatMap((type) => nextReferences(inquiry, type));
  return { lines: [...(await Promise.all(lines)).flat(), ...others], next, passages: 0 };
}

/** Returns the definitions in the lines of a type that are directly in it, with their names. */
async function membersOf(
  { view, scope }: Inquiry,
  { node, repository, path, lines }: Target,
): Promise<readonly (DefinedName & { readonly name: string })[]> {
  const all = lines && (await definitionsAt(view.graph, scope, fileKey(repository.id, path), lines)).begun;
  const start = `${String(node.props['qualifiedName'] ?? node.name)}.`;
  return (all ?? [])
    .filter(({ qualifiedName }) => qualifiedName.startsWith(start))
    .map((one) => ({ ...one, name: one.qualifiedName.slice(start.length) }))
    .filter(({ name }) => !name.includes('.'));
}

const asking = ['implement', 'extend', 'inherit', 'derive', 'subclass', 'subtype'] as const;

/** Returns whether a question asks what implements or extends a type, not what the type itself does. */
function asksForSubtypes(question: string, { node }: Target): boolean {
  const words = question.split(/[^\p{L}\p{N}_$]+/u);
  const at = words.findIndex((word) => asking.some((verb) => word.toLowerCase().startsWith(verb)));
  return at >= 0 && words.includes(node.name, at + 1);
}

/** Returns whether a line may begin a type that implements or extends a type. Some languages do not say so. */
async function mayBeExtended(inquiry: Inquiry, { node, path, repository, lines }: Target): Promise<boolean> {
  if (languages.get(languageOf(path))?.implementsUnnamed === true) return true;
  const head = String.raw`\b(?:class|interface|struct|object|record|trait|extends|implements|impl)\b`;
  // A long list of what a type extends has lines of its own.
  const alone = String.raw`^\s*\)?\s*[:,<(]?\s*(?:(?:public|protected|private|virtual)\s+){0,3}`;
  const text = `(?:${head}.{0,200}|${alone})\\b${escapePattern(node.name)}\\b`;
  const search = { text, form: 'pattern', limit: max.files, matchesPerFile: max.shown } as const;
  const found = await searchLines(inquiry, search);
  const isOwn = (one: CodeLine): boolean =>
    one.repository === repository && one.path === path && one.line === lines?.first;
  return !found.isWhole || found.lines.some((one) => codeOf(one.text) !== '' && !isOwn(one));
}
