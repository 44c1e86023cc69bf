import fc from 'fast-check';
import type { RecordKind } from '../../../src/features/mirror/format/record-kind.ts';
import type { RecordInput } from './records.ts';

/** Text that tries to be read as something else than text. */
const hostileLines = [
  '---',
  '...',
  '',
  ' ',
  '\t',
  '# Comments',
  '## Timeline',
  '```',
  '~~~ts',
  '    code',
  '> quoted',
  '>',
  '<!--',
  '-->',
  '<script>',
  '<!-- orgctx:comments -->',
  '\\<!-- orgctx:comments -->',
  '\\\\<!-- orgctx:comment {} -->',
  '<!-- orgctx:comment {"id":"x","createdAt":"2025-01-01T00:00:00.000Z"} -->',
  'type: incident',
  'id: &a [*a]',
  '- {"id": 1}',
  'true',
  'null',
  'no',
  '1e3',
  '0x1F',
  '2025-01-01',
  '!!js/function x',
  '*alias',
  '%YAML 1.1',
  'a: b # c',
  "'",
  '"',
  '\\',
  '{[,]}',
  '\r\n',
  '\r',
  '\u2028',
  '\u0085',
  '\u0000\u001b[31m',
  '\ufeff',
  '\u202eabc\u202c',
  '\u{e0041}\u{e007f}',
  'e\u0301',
  '\u212b',
  '👩‍💻 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'שלום \u200fعالم',
  '\ud800',
  'ada@example.com',
  'Ada <ada@example.com>',
  '../../../etc/passwd',
  'CON',
  'nul.md',
  '.git',
  '__proto__',
  'javascript:alert(1)',
  'https://user:secret@tracker.example/ENG-1?a=b#c',
];

/** Any code points, halves of surrogate pairs too. The unit `binary` of fast-check takes seconds to build. */
export const anyText = fc
  .array(fc.oneof(fc.nat(0x3_00), fc.nat(0x10_ff_ff)), { maxLength: 12 })
  .map((codes) => String.fromCodePoint(...codes));

const piece = fc.oneof(
  fc.constantFrom(...hostileLines),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  anyText,
);
export const hostileText = fc.oneof(
  piece,
  fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('\n')),
  fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
);

const instant = fc.date({
  min: new Date('1990-01-01'),
  max: new Date('2090-01-01'),
  noInvalidDate: true,
});
export const times = fc
  .tuple(instant, fc.constantFrom('Z', '+02:00', '-11:30'))
  .map(([value, zone]) => value.toISOString().replace('Z', zone));

/** Generates records of a kind, with hostile text in every field that may hold text. */
export function recordArbitrary({ shape }: RecordKind): fc.Arbitrary<RecordInput> {
  return valuesOf(shape) as fc.Arbitrary<RecordInput>;
}

/** The parts of a schema of zod that the generator looks at. */
interface Schema {
  readonly def: {
    readonly type: string;
    readonly format?: string;
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly element?: Schema;
    readonly innerType?: Schema;
    readonly in?: Schema;
    readonly values?: readonly unknown[];
  };
  safeParse(value: unknown): { readonly success: boolean };
}

function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { type, shape = {}, element, innerType, in: input } = schema.def;
  if (type === 'array' && element) return fc.array(valuesOf(element), { maxLength: 3 });
  if ((type === 'optional' || type === 'default') && innerType) {
    return fc.option(valuesOf(innerType), { nil: undefined });
  }
  if (type === 'pipe' && input) return valuesOf(input).filter((value) => schema.safeParse(value).success);
  if (type !== 'object') return scalarsOf(schema);
  return fc.record(Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, valuesOf(field)])));
}

function scalarsOf({ def: { type, format, values = [] } }: Schema): fc.Arbitrary<unknown> {
  switch (`${type} ${format ?? ''}`) {
    case 'string ':
      return hostileText;
    case 'string datetime':
      return times;
    case 'string date':
      return instant.map((value) => value.toISOString().slice(0, 10));
    case 'number ':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'number safeint':
      return fc.nat();
    case 'boolean ':
      return fc.boolean();
    case 'literal ':
      return fc.constantFrom(...values);
    default:
      throw new TypeError(`The generator does not know the schema type ${type}.`);
  }
}
