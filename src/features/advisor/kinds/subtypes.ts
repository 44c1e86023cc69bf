import { languageOf } from '../../../backends/codesearch/port.ts';
import { languages } from '../../../backends/languages/port.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { codeOf, searchLines } from '../evidence/line-source.ts';
import type { CodeLine } from '../evidence/place-source.ts';
import type { Finding } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { nextReferences, type Target, targetOf, targetSentence, targetText } from './target.ts';

/** Numbers of types that are shown, of repositories that are named, and of files whose lines are compared. */
const max = { shown: 10, named: 4, files: 200 } as const;

/**
 * Answers what directly implements or extends a type, or that nothing does. Returns `undefined` if the question asks
 * something else, or if the graph knows no subtype but a line of code may begin one.
 */
export async function subtypesAnswer(inquiry: Inquiry, target: Target): Promise<Finding | undefined> {
  if (!asksForSubtypes(inquiry.question.head, target)) return undefined;
  const from = [target.node.key];
  const found = await step(inquiry.view.graph, inquiry.scope, { from, direction: 'in', kinds: ['inherits'] });
  const subtypes = reached(found, from, ['symbol']).flatMap(
    ({ node }) => targetOf(inquiry, node, true) ?? [],
  );
  const common = { next: nextReferences(inquiry, target), passages: 0 };
  if (subtypes.length === 0) {
    if (await mayBeExtended(inquiry, target)) return undefined;
    const names = askedRepositories(inquiry).map(({ name }) => inlineCode(name));
    const lead = `No definition in ${listed(names, max.named)} implements or extends ${targetText(target)}.`;
    return { ...common, lines: [[lead]], isNotFound: true };
  }
  const lead = `Directly implement or extend ${targetText(target)}: ${counted(subtypes.length, 'definition')}`;
  return {
    ...common,
    lines: [
      [`${lead}.`],
      ...subtypes.slice(0, max.shown).map((one) => targetSentence(inquiry, one)),
      ...(subtypes.length > max.shown ? [[`${subtypes.length - max.shown} more`]] : []),
    ],
    notes: found.truncated ? ['There are more of them than were read.'] : [],
  };
}

/** Returns whether a question asks what implements or extends a type, not what the type itself does. */
function asksForSubtypes(question: string, { node }: Target): boolean {
  const [, , after = ''] = question.split(/\b(implement|extend|inherit|derive|subclass|subtype)\w*/iu);
  return after.split(/[^\p{L}\p{N}_$]+/u).includes(node.name);
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
