import fc from 'fast-check';
import { z } from 'zod';
import type { Answer, EntityShape, Family } from '../../../src/features/connectors/tracker/kinds/family.ts';
import { hostileText, times } from '../mirror/record-arbitrary.ts';

/** Fields that the provider itself forms: ids, keys, times. */
const ids = fc.uuid();
const formed: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  id: ids,
  slugId: fc.stringMatching(/^[\da-f]{12}$/),
  identifier: fc.tuple(fc.constantFrom('ENG', 'OPS'), fc.nat()).map(([key, n]) => `${key}-${n}`),
  key: fc.constantFrom('ENG', 'OPS', 'CON', 'a', 'é'),
  number: fc.nat(),
  type: fc.constantFrom('blocks', 'duplicate', 'related', 'started'),
  previousIdentifiers: fc.uniqueArray(
    fc.nat().map((n) => `OLD-${n}`),
    { maxLength: 3 },
  ),
  url: fc.constantFrom('https://linear.app/acme/issue/ENG-1', 'javascript:alert(1)', 'not an address'),
};

/** Generates entities of a family as pages contain them, with hostile text in every field that people write. */
export function entityArbitrary<Shape extends EntityShape>({
  shape,
}: Family<Shape>): fc.Arbitrary<Answer<Shape>> {
  return valuesOf(shape, '') as fc.Arbitrary<Answer<Shape>>;
}

function valuesOf(shape: z.ZodType, name: string): fc.Arbitrary<unknown> {
  const known = formed[name];
  if (shape instanceof z.ZodPipe) return valuesOf(shape.in as z.ZodType, name);
  if (shape instanceof z.ZodNullable)
    return fc.option(valuesOf(shape.unwrap() as z.ZodType, name), { nil: undefined });
  if (known !== undefined) return known;
  if (shape instanceof z.ZodArray)
    return fc.array(valuesOf(shape.element as z.ZodType, name), { maxLength: 3 });
  if (shape instanceof z.ZodString) return name.endsWith('At') ? times : hostileText;
  if (shape instanceof z.ZodNumber) return fc.nat();
  if (shape instanceof z.ZodBoolean) return fc.boolean();
  if (!(shape instanceof z.ZodObject))
    throw new TypeError(`The generator does not know the shape of ${name}.`);
  const { nodes } = shape.shape as { nodes?: z.ZodType };
  if (nodes !== undefined) return valuesOf(nodes, name);
  const fields = Object.entries(shape.shape);
  return fc.record(Object.fromEntries(fields.map(([field, value]) => [field, valuesOf(value, field)])));
}

/** Returns one entity of a family, without optional values and lists. */
export function someEntity<Shape extends EntityShape>({ shape }: Family<Shape>): Answer<Shape> {
  return plainOf(shape, '') as Answer<Shape>;
}

const plain: Readonly<Record<string, unknown>> = {
  id: '0b9f6c1e-7a55-4d7a-9c0e-6a1c2b3d4e5f',
  identifier: 'ENG-1',
  key: 'ENG',
  slugId: '4f2a9c0d1e2b',
  url: 'https://linear.app/acme/issue/ENG-1/title',
};

function plainOf(shape: z.ZodType, name: string): unknown {
  if (shape instanceof z.ZodPipe) return plainOf(shape.in as z.ZodType, name);
  if (shape instanceof z.ZodNullable) return undefined;
  if (shape instanceof z.ZodArray) return [];
  if (shape instanceof z.ZodNumber) return 1;
  if (shape instanceof z.ZodBoolean) return false;
  if (shape instanceof z.ZodString)
    return plain[name] ?? (name.endsWith('At') ? '2026-01-01T00:00:00.000Z' : name);
  if (!(shape instanceof z.ZodObject)) throw new TypeError(`The shape of ${name} is not known.`);
  const fields = Object.entries(shape.shape);
  if (fields.some(([field]) => field === 'nodes')) return [];
  return Object.fromEntries(fields.map(([field, value]) => [field, plainOf(value, field)]));
}
