import { type GraphQLInputObjectType, type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import type { Row } from '../model.ts';

/** Returns what a field of a row refers to: a row, rows or a value. */
export type Follow = (row: Row, field: string) => unknown;

type Values = Readonly<Record<string, unknown>>;

/** Applies a filter of the schema. What the stand-in does not know throws, so that a test cannot pass by chance. */
export function matches(row: Row, filter: Values, type: GraphQLInputType, follow: Follow): boolean {
  const input = inputOf(type);
  return Object.entries(filter).every(([field, wanted]) => {
    if (wanted === undefined || wanted === null) return true;
    if (field === 'and') return (wanted as Values[]).every((one) => matches(row, one, type, follow));
    if (field === 'or') return (wanted as Values[]).some((one) => matches(row, one, type, follow));
    const fieldType = input.getFields()[field]?.type;
    if (fieldType === undefined) throw new Error(`no filter ${field}`);
    return matchesField(follow(row, field), wanted as Values, fieldType, follow);
  });
}

function matchesField(value: unknown, wanted: Values, type: GraphQLInputType, follow: Follow): boolean {
  const { name } = inputOf(type);
  if (name.endsWith('Comparator')) return compare(value, wanted);
  if (name.endsWith('CollectionFilter'))
    return matchesSome((value ?? []) as readonly Row[], wanted, type, follow);
  if (wanted['null'] !== undefined) return (value === null || value === undefined) === wanted['null'];
  return value !== null && value !== undefined && matches(value as Row, wanted, type, follow);
}

function matchesSome(rows: readonly Row[], wanted: Values, type: GraphQLInputType, follow: Follow): boolean {
  return Object.entries(wanted).every(([quantifier, filter]) => {
    const inner = inputOf(type).getFields()[quantifier]?.type;
    if (inner === undefined) throw new Error(`no filter ${quantifier}`);
    const isMatch = (row: Row): boolean => matches(row, filter as Values, inner, follow);
    if (quantifier === 'some') return rows.some(isMatch);
    if (quantifier === 'every') return rows.every(isMatch);
    if (quantifier === 'length') return compare(rows.length, filter as Values);
    throw new Error(`the stand-in does not know the filter ${quantifier}`);
  });
}

function compare(given: unknown, wanted: Values): boolean {
  const value = given instanceof Date ? given.toISOString() : (given ?? null);
  return Object.entries(wanted).every(([operator, operand]) => compareOne(value, operator, operand));
}

type Comparable = string | number | null;

const operators: Readonly<Record<string, (value: Comparable, operand: Comparable) => boolean>> = {
  eq: (value, operand) => value === operand,
  neq: (value, operand) => value !== operand,
  gt: (value, operand) => value !== null && operand !== null && value > operand,
  gte: (value, operand) => value !== null && operand !== null && value >= operand,
  lt: (value, operand) => value !== null && operand !== null && value < operand,
  lte: (value, operand) => value !== null && operand !== null && value <= operand,
  eqIgnoreCase: (value, operand) => lower(value) === lower(operand),
  contains: (value, operand) => String(value).includes(String(operand)),
  containsIgnoreCase: (value, operand) => lower(value).includes(lower(operand)),
};

function lower(value: Comparable): string {
  return String(value).toLowerCase();
}

function compareOne(value: unknown, operator: string, operand: unknown): boolean {
  if (operator === 'in') return (operand as unknown[]).includes(value);
  if (operator === 'nin') return !(operand as unknown[]).includes(value);
  if (operator === 'null') return (value === null) === operand;
  const [left = null, right = null] = [value, operand].map((one) =>
    typeof one === 'string' ? comparable(one) : (one as Comparable),
  );
  const isMatch = operators[operator];
  if (isMatch === undefined) throw new Error(`the stand-in does not know the operator ${operator}`);
  return isMatch(left, right);
}

/** Times compare by what they mean: the schema accepts several ways to write one. */
function comparable(text: string): string | number {
  return /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : text;
}

function inputOf(type: GraphQLInputType): GraphQLInputObjectType {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) throw new Error(`${named.name} is no filter`);
  return named;
}
