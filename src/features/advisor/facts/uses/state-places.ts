import { shorten } from '../../../../foundation/kernel/text/visible-text.ts';
import { joined, listSentence, type Sentence } from '../../answer/statements.ts';
import { inlineCode } from '../../text/markdown.ts';
import { type Inquiry, placeText, shortName } from '../inquiry.ts';
import type { UsePlace } from './use-places.ts';

/** Maximum numbers of places that are described, of names, of tests, of further lines, and of characters of a quoted line. */
const max = { places: 9, names: 8, tests: 3, lines: 4, text: 120 } as const;

const isSample = /(?:^|\/)_?(?:\w+-)?(?:examples?|bench(?:marks?)?)\//iu;

/** Names the places of the product in one sentence, and counts those of tests: "`a`, `b` and `c`, and in 2 tests". */
export function namesOfPlaces(inquiry: Inquiry, places: readonly UsePlace[]): Sentence {
  const product = places.filter(({ isTest }) => !isTest);
  const tests = places.length - product.length;
  const shown = product.length > 0 ? product : places;
  const inFiles = [...Map.groupBy(shown.slice(0, max.names), fileOf).values()];
  const names = inFiles.map((own): Sentence => namesInFile(inquiry, own));
  const more = shown.length - max.names;
  const kind = places.some(({ isTest, path }) => isTest && isSample.test(path))
    ? 'tests or samples'
    : 'tests';
  const inTests = tests === 1 ? `one place in ${kind}` : `${tests} places in ${kind}`;
  return [
    ...(product.length === 0 ? [`${inTests} only: `] : []),
    ...names.flatMap((name, index) => [
      ...(index === 0 ? [] : [index === names.length - 1 && more <= 0 ? ', and ' : ', ']),
      ...name,
    ]),
    ...(more > 0 ? [` and ${more} more`] : []),
    ...(product.length > 0 && tests > 0 ? [`; also ${inTests}`] : []),
  ];
}

/** Describes each place of the product with its lines, then lists those of tests. */
export function describePlaces(inquiry: Inquiry, places: readonly UsePlace[], label = ''): Sentence[] {
  const product = places.filter(({ isTest }) => !isTest);
  const tests = places.filter(({ isTest }) => isTest);
  const more = product.length - max.places;
  return [
    ...product.slice(0, max.places).map((place): Sentence => [label, ...describe(inquiry, place)]),
    ...listSentence(
      `And in ${more} more: `,
      product.slice(max.places, max.places + max.names).map((one): Sentence => [placeOf(inquiry, one)]),
      more,
    ),
    ...listSentence(
      'In tests: ',
      tests.slice(0, max.tests).map((one): Sentence => [placeOf(inquiry, one), ...sourceOf(one)]),
      tests.length,
    ),
  ];
}

/** Describes places that possibly use a definition, each marked as such. */
export function possiblePlaces(inquiry: Inquiry, places: readonly UsePlace[], verb = 'used'): Sentence[] {
  if (places.length === 0) return [];
  const count = places.length === 1 ? 'One place' : `${places.length} places`;
  return [
    [`Possibly ${verb}, because the name fits: ${count}.`],
    ...describePlaces(inquiry, places, `Possibly ${verb} by `),
  ];
}

function fileOf({ repository, path }: UsePlace): string {
  return `${repository}/${path}`;
}

/** Names the places of one file, and the end of its path. */
function namesInFile(inquiry: Inquiry, own: readonly UsePlace[]): Sentence {
  const names = joined(own.map((place): Sentence => [nameOf(inquiry, place)]));
  const isNamed = own.some((place) => realName(place) !== undefined);
  const file = inlineCode((own[0]?.path ?? '').split('/').slice(-2).join('/'));
  return isNamed ? [...names, ` in ${file}`] : names;
}

/** The blocks of a test that only the text of their first argument names. */
const testBlock = /^(?:it|test|describe|context|suite)$/u;

function realName({ name, isTest }: UsePlace): string | undefined {
  return isTest && name !== undefined && testBlock.test(name) ? undefined : name;
}

/** Returns the name of a place with at most two of those around it. */
function nameOf(inquiry: Inquiry, place: UsePlace): string {
  const { repository, path } = place;
  const name = realName(place);
  return name === undefined ? placeText(inquiry, { repository, path }) : inlineCode(shortName(name));
}

function placeOf(inquiry: Inquiry, place: UsePlace): string {
  const { repository, path, lines } = place;
  const at = placeText(inquiry, { repository, path, line: lines[0]?.line });
  return realName(place) === undefined ? at : `${nameOf(inquiry, place)} (${at})`;
}

function sourceOf({ lines }: UsePlace): Sentence {
  return lines.slice(0, 1).map(({ source }) => source);
}

function describe(inquiry: Inquiry, place: UsePlace): Sentence {
  const [first, ...others] = place.lines;
  const text =
    first === undefined || first.text === '' ? '' : `: ${inlineCode(shorten(first.text, max.text))}`;
  const further = others.slice(0, max.lines).map(({ line }) => String(line));
  const also = further.length === 0 ? '' : `, also line ${further.join(', ')}`;
  return [placeOf(inquiry, place), ...sourceOf(place), `${text}${also}.`];
}
