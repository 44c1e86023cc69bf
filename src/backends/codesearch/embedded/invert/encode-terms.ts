import { countBits } from '../format/segment-sections.ts';
import {
  add,
  and,
  block,
  branch,
  branchIf,
  constant,
  equals,
  get,
  isLess,
  isZero,
  line,
  numberAt,
  or,
  repeatWhile,
  set,
  shiftLeft,
  shiftRight,
  storeNumber,
  subtract,
  tee,
  type WasmFunction,
} from '../wasm/assemble.ts';
import { addressOf, pair } from './term-layout.ts';
import { writeVarint } from './write-varint.ts';

const [from, end, isLast] = [0, 1, 2];
const [term, document, frequency, byteLength] = [3, 4, 5, 6];
const [postings, differences, frequencies, byteLengths] = [7, 8, 9, 10];
const [value, begin, next, count] = [11, 12, 13, 14];

/** Number of counts that a posting can store in its own bits. */
const maxCount = (1 << countBits) - 1;
/** State that is kept from one call to the next, with its memory cells. */
const carriedState = [
  [term, addressOf.term],
  [document, addressOf.document],
  [frequency, addressOf.frequency],
  [byteLength, addressOf.byteLength],
] as const;
const streams = [
  [postings, addressOf.postings, addressOf.postingsEnd],
  [differences, addressOf.differences, addressOf.differencesEnd],
  [frequencies, addressOf.frequencies, addressOf.frequenciesEnd],
  [byteLengths, addressOf.byteLengths, addressOf.byteLengthsEnd],
] as const;

/** `encode` of `TermExports`. */
export function encodeBody(): WasmFunction {
  const body = [
    ...carriedState.map(([local, cell]) => line(constant(cell), numberAt(), set(local))),
    ...streams.map(([local, start]) => line(constant(start), set(local))),
    repeatWhile(
      line(get(from), get(end), isLess),
      beginTerm(),
      writePosting(),
      line(get(from), constant(pair), add, set(from)),
    ),
    block(line(get(isLast), isZero, branchIf(0)), endTerm()),
    ...carriedState.map(([local, cell]) => line(constant(cell), get(local), storeNumber())),
    ...streams.map(([local, , cell]) => line(constant(cell), get(local), storeNumber())),
    get(from),
  ];
  return { name: 'encode', parameters: 3, locals: 12, body };
}

/** Starts a term at the first pair of it. No term is open if the frequency is 0. */
function beginTerm(): number[] {
  return block(
    block(
      line(get(frequency), isZero, branchIf(0)),
      line(get(from), numberAt(), get(term), equals, branchIf(1)),
    ),
    endTerm(),
    line(get(from), numberAt(), tee(next), get(term), subtract, set(value), get(next), set(term)),
    writeVarint(differences, value),
  );
}

function endTerm(): number[] {
  return block(
    line(get(frequency), isZero, branchIf(0)),
    writeVarint(frequencies, frequency),
    writeVarint(byteLengths, byteLength),
    line(constant(0), set(frequency), constant(0), set(byteLength), constant(-1), set(document)),
  );
}

function writePosting(): number[] {
  const posting = line(get(from), numberAt(4));
  const difference = line(get(next), get(document), subtract, constant(1), subtract);
  return line(
    line(get(postings), set(begin), posting, constant(16), shiftRight, set(next)),
    line(difference, constant(countBits), shiftLeft, set(value), get(next), set(document)),
    line(posting, constant(0xffff), and, constant(1), subtract, set(count)),
    block(
      block(
        line(get(count), constant(maxCount), isLess, isZero, branchIf(0)),
        line(get(value), get(count), or, set(value), writeVarint(postings, value), branch(1)),
      ),
      line(get(value), constant(maxCount), or, set(value), writeVarint(postings, value)),
      line(get(count), constant(maxCount), subtract, set(count), writeVarint(postings, count)),
    ),
    line(get(frequency), constant(1), add, set(frequency)),
    line(get(byteLength), get(postings), get(begin), subtract, add, set(byteLength)),
  );
}
