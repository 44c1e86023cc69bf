import { isDeclarationFile } from '../../../../backends/languages/port.ts';
import { joined, listSentence, type Sentence, type Statements } from '../../answer/statements.ts';
import { inlineCode } from '../../text/markdown.ts';
import { type Inquiry, maxPassages, nodePlace } from '../inquiry.ts';
import type { Target } from '../targets/target.ts';
import type { FoundUse } from './find-uses.ts';
import { describePlaces, namesOfPlaces } from './state-places.ts';
import { findPlaces } from './use-places.ts';
import { usedName } from './used-name.ts';

/** Maximum number of other definitions that are named. */
const maxOthers = 4;

export const limitNote = 'The lists are limited: there may be more uses.';
export const textNote =
  'Uses are resolved from the syntax of the files, and found by the name in their text: one under another name, such as an alias, may be missing.';

/** How an answer about a name is told. */
interface NameAnswer {
  /** Begins the sentence that names the places, with the name as code. */
  readonly begin: (name: string) => string;
  /** Says what else is known of the name. */
  readonly more?: (name: string, declarations: readonly FoundUse[]) => Promise<readonly Sentence[]>;
}

/**
 * Answers for a name as in code that the graph has no definition of, such as that of an imported module, or of a
 * property that a constructor sets; `undefined` if the question has none, or nothing uses it.
 */
export async function answerName(
  inquiry: Inquiry,
  { begin, more }: NameAnswer,
): Promise<Statements | undefined> {
  const name = nameInCode(inquiry);
  if (name === undefined) return undefined;
  const { places, declarations } = await findPlaces(inquiry, usedName(name));
  if (places.length === 0) return undefined;
  return {
    lead: [[begin(inlineCode(name)), ...namesOfPlaces(inquiry, places), '.']],
    reasons: [...describePlaces(inquiry, places), ...((await more?.(name, declarations)) ?? [])],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [textNote],
  };
}

/** Returns the first name of the question that is written as in code and exists. */
function nameInCode({ ranked: { subject, unmatched } }: Inquiry): string | undefined {
  return subject.identifiers.find((one) => !unmatched.includes(one) && !/[.#:]/u.test(one));
}

/** Says that no code has a name that a question writes as in code, before what was found by its other words. */
export function absentName({ ranked: { subject } }: Inquiry, target: Target): Sentence[] {
  const name = subject.identifiers.find((one) => !/[.#:]/u.test(one));
  if (target.isNamed || name === undefined) return [];
  return [[`No definition or use of ${inlineCode(name)} was found in code; the nearest is this.`]];
}

/** Says where else a name is defined, and where it is only declared. */
export function otherDefinitions(inquiry: Inquiry, others: readonly Target[]): Sentence[] {
  const declared = others.filter(({ path }) => isDeclarationFile(path));
  const defined = others.filter((one) => !declared.includes(one));
  const placesOf = (some: readonly Target[]): readonly Sentence[] =>
    some.slice(0, maxOthers).map(({ node }) => [nodePlace(inquiry, node)]);
  return [
    ...listSentence('Declared as ', placesOf(declared), declared.length),
    ...(defined.length === 0
      ? []
      : [
          [
            'The name is also defined as ',
            ...joined(placesOf(defined), defined.length),
            '; a call through a variable may mean any of them.',
          ],
        ]),
  ];
}
