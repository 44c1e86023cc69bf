import type { GraphNode } from '../../../../backends/graph/port.ts';
import { shorten } from '../../../../foundation/kernel/text/visible-text.ts';
import { listSentence, type Sentence, type Statements } from '../../answer/statements.ts';
import { type Usage, usageOf } from '../../question/grammar/usage.ts';
import { inlineCode } from '../../text/markdown.ts';
import { type Inquiry, maxPassages, nodePlace, placeText } from '../inquiry.ts';
import { enclosing } from '../targets/enclosing.ts';
import { isTestPath } from '../test-path.ts';
import type { UseKind } from './classify-use.ts';
import { type FoundUse, findUses } from './find-uses.ts';
import { describePlaces } from './state-places.ts';
import { placesOfUses } from './use-places.ts';
import { isFunction } from './uses-in-text.ts';

/** Maximum number of places that are named besides the first, of definitions, and of characters of a quoted line. */
const max = { others: 4, definitions: 12, line: 120 } as const;

const wanted: Readonly<Record<Usage['verb'], readonly UseKind[]>> = {
  read: ['read'],
  check: ['read'],
  use: ['read'],
  set: ['set', 'definition'],
  raise: ['read'],
  catch: ['read'],
};
const participles: Readonly<Record<Usage['verb'], string>> = {
  read: 'read',
  check: 'checked',
  use: 'used',
  set: 'set',
  raise: 'raised',
  catch: 'handled',
};
const thirdPersons: Readonly<Record<Usage['verb'], string>> = {
  read: 'reads',
  check: 'checks',
  use: 'uses',
  set: 'sets',
  raise: 'raises',
  catch: 'handles',
};
/** The kind of use that is listed besides the one that is asked for. */
const opposites: Readonly<
  Partial<Record<Usage['verb'], { readonly kind: UseKind; readonly label: string }>>
> = {
  read: { kind: 'set', label: 'Set at ' },
  check: { kind: 'set', label: 'Set at ' },
  set: { kind: 'read', label: 'Read at ' },
};
/** Patterns of lines that raise or catch an error. */
const forms: Readonly<Partial<Record<Usage['verb'], RegExp>>> = {
  raise: /\b(?:raise|throw|panic!?|reject|Err|abort)\b|\breturn\b(?:(?!\breturn\b).)*\b(?:new\s|Err)/u,
  catch: /\b(?:except|catch|rescue|isinstance|instanceof|errors\.(?:Is|As)|Err\s*\()|\bcheck\(/u,
};

/**
 * Answers where a name is read, checked, used or set: first the lines that do it, then those that define it. A setting
 * is looked up by its name in a string, which the knowledge graph does not see, so the lines themselves are judged.
 */
export async function answerUses(inquiry: Inquiry): Promise<Statements | undefined> {
  const usage = usageOf(inquiry.asked, inquiry.ranked.subject);
  return usage === undefined ? undefined : answerUsesOf(inquiry, usage);
}

/**
 * Answers where a name is used in some way; `undefined` if no line of code contains it. A name that is only the text of
 * a constant is followed to that one; its own name is not followed further, because it may lead back.
 */
export async function answerUsesOf(
  inquiry: Inquiry,
  usage: Usage,
  { followsText = true } = {},
): Promise<Statements | undefined> {
  const { name, verb } = usage;
  const overrides = verb === 'set' ? definitionsOf(inquiry, name) : undefined;
  if (overrides !== undefined) return overrides;
  const uses = await findUses(inquiry, name);
  if (uses.length === 0) return undefined;
  const asked = askedUses(uses, verb);
  const rest = uses.filter((use) => !asked.includes(use) && !isTestPath(use.source.path));
  const [first, ...others] = asked;
  if (first === undefined) return withoutUse(inquiry, usage, rest);
  const symbol = uses.find(({ isSymbol }) => isSymbol);
  const definition = symbol ?? rest.find(({ kinds }) => kinds.has('definition'));
  const around = await enclosing(inquiry, first.source);
  const alias = verb === 'set' || !followsText ? undefined : await answerAlias(inquiry, usage, first, around);
  if (alias !== undefined) return alias;
  const where = around === undefined || around.name === name ? '' : ` in ${inlineCode(around.name)}`;
  const lead: Sentence = [
    `${inlineCode(name)} is ${participles[verb]} at `,
    placeText(inquiry, first.source),
    where,
    first.source,
    `: ${quotedLine(first, verb)}`,
  ];
  const isKnown = (use: FoundUse): boolean => use === definition || use === first;
  return {
    lead: [
      lead,
      ...(definition === undefined || definition === first ? [] : [definedAt(inquiry, definition)]),
    ],
    reasons: [
      ...describePlaces(
        inquiry,
        await placesOfUses(
          inquiry,
          name,
          others.filter((use) => !isKnown(use)),
        ),
        `Also ${participles[verb]} in `,
      ),
      ...oppositeOf(
        inquiry,
        verb,
        rest.filter((use) => !isKnown(use)),
      ),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes,
  };
}

/** Answers for a function, which is not set but defined, by each class that overrides it. */
function definitionsOf(inquiry: Inquiry, name: string): Statements | undefined {
  const found = inquiry.named.symbols.filter((node) => node.name === name && !isTestPath(node.key));
  const functions = found.filter(isFunction);
  if (functions.length === 0 || functions.length * 2 < found.length) return undefined;
  const shown = functions.slice(0, max.definitions).map((node): Sentence => [nodePlace(inquiry, node)]);
  return {
    lead: listSentence(`${inlineCode(name)} is defined as `, shown, functions.length),
    reasons: [],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [],
  };
}

/** Answers for a name that is the text of a constant or field, with the uses of that one; `undefined` if it is not. */
async function answerAlias(
  inquiry: Inquiry,
  { name, verb }: Usage,
  { text, source }: FoundUse,
  around: GraphNode | undefined,
): Promise<Statements | undefined> {
  if (around === undefined || around.name === name || !definesText(around, source.line)) return undefined;
  if (!['"', "'", '`'].some((quote) => text.includes(`${quote}${name}${quote}`))) return undefined;
  const uses = await answerUsesOf(inquiry, { name: around.name, verb }, { followsText: false });
  if (uses === undefined) return undefined;
  const lead: Sentence = [
    `${inlineCode(name)} is the text of ${inlineCode(around.name)}, at `,
    placeText(inquiry, source),
    source,
    '.',
  ];
  return { ...uses, lead: [lead, ...uses.lead] };
}

function definesText({ props }: GraphNode, line: number): boolean {
  const { kind, startLine } = props;
  return startLine === line && (kind === 'constant' || kind === 'variable' || kind === 'field');
}

/** A definition that has no value, such as a field with its type, sets nothing. */
const givesValue = /(?<![=!<>])=(?![=>])|:=|:\s*["'`\d[{]/u;

/** Returns the uses that a question asks for, best first: those of the product, or else those of its tests. */
function askedUses(uses: readonly FoundUse[], verb: Usage['verb']): readonly FoundUse[] {
  const form = forms[verb];
  const fitting = uses.filter(
    ({ kinds, text }) =>
      wanted[verb].some((kind) => kinds.has(kind)) &&
      (form?.test(text) ?? true) &&
      (verb !== 'set' || kinds.has('set') || givesValue.test(text)),
  );
  const product = fitting.filter(({ source }) => !isTestPath(source.path));
  const found = product.length > 0 ? product : fitting;
  const checks = verb === 'check' ? found.filter(({ isCheck }) => isCheck) : [];
  // A line that only passes a value on also sets it; a definition is the first place that sets it.
  const bonus = ({ kinds, isSymbol }: FoundUse): number =>
    verb === 'set' ? (isSymbol ? 4 : kinds.has('definition') ? 1 : 0) : kinds.has('set') ? 0 : 0.5;
  return (checks.length > 0 ? checks : found).toSorted((a, b) => b.score + bonus(b) - (a.score + bonus(a)));
}

/** Says that no line does what is asked, and where the name occurs. */
function withoutUse(
  inquiry: Inquiry,
  { name, verb }: Usage,
  rest: readonly FoundUse[],
): Statements | undefined {
  const places = rest.slice(0, max.others).map((use) => placeOf(inquiry, use));
  if (places.length === 0 || forms[verb] !== undefined) return undefined;
  const occurs = verb === 'set' ? 'it is read at ' : 'it is only set, at ';
  return {
    lead: listSentence(
      `No line that ${thirdPersons[verb]} ${inlineCode(name)} was found; ${occurs}`,
      places,
      rest.length,
    ),
    reasons: [],
    sources: inquiry.code.slice(0, maxPassages),
    notes,
  };
}

const notes = [
  'Found by the name in the text of the files: a use under another name, such as an alias, is missing.',
];

function definedAt(inquiry: Inquiry, use: FoundUse): Sentence {
  return ['It is defined at ', placeText(inquiry, use.source), use.source, `: ${quotedLine(use)}`];
}

/** Quotes a line of code, and what follows it if it handles an error, with the full stop that ends the sentence. */
function quotedLine({ text, next }: FoundUse, verb?: Usage['verb']): string {
  const then = verb === 'catch' && next !== '' ? `, then ${inlineCode(shorten(next, max.line))}` : '';
  return `${inlineCode(shorten(text, max.line))}${then}.`;
}

function placeOf(inquiry: Inquiry, { source }: FoundUse): Sentence {
  return [placeText(inquiry, source), source];
}

/** Names the files of the product that set what is read, or read what is set, with the first place of each. */
function oppositeOf(inquiry: Inquiry, verb: Usage['verb'], rest: readonly FoundUse[]): Sentence[] {
  const opposite = opposites[verb];
  if (opposite === undefined) return [];
  const uses = rest.filter(({ kinds }) => kinds.has(opposite.kind));
  const firsts = uses.filter(
    ({ source }, index) => uses.findIndex((one) => one.source.path === source.path) === index,
  );
  const shown = firsts.slice(0, max.others).map((use) => placeOf(inquiry, use));
  return listSentence(opposite.label, shown, firsts.length);
}
