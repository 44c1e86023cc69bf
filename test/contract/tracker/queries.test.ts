import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  continueQuery,
  findQuery,
  listQuery,
  pageSize,
  type Query,
  scopeKinds,
  scopeQuery,
  viewerQuery,
} from '../../../src/features/connectors/tracker/client/queries.ts';
import { listsIn } from '../../../src/features/connectors/tracker/client/selection.ts';
import { families } from '../../../src/features/connectors/tracker/kinds/kinds.ts';
import { complexityOf, maxComplexity } from '../../standins/tracker/graphql/complexity.ts';
import { sdkPackages, trackerSchema } from '../../standins/tracker/schema/tracker-schema.ts';

const queries: readonly (readonly [string, Query])[] = [
  ['the viewer', viewerQuery],
  ...scopeKinds.map((kind) => [`scope options: ${kind}`, scopeQuery(kind)] as const),
  ...families.flatMap((family) => [
    [`a page of ${family.name}`, listQuery(family)] as const,
    [`one ${family.name}`, findQuery(family)] as const,
    ...[...listsIn(family.shape)].map(
      ([list, shape]) => [`more of a list of ${family.name}`, continueQuery(family, list, shape)] as const,
    ),
  ]),
];

/** Fields that the older version lacks. */
const isNewer = /^Cannot query field "parentDocument" on type "Document"/;

describe.each(Object.keys(sdkPackages) as (keyof typeof sdkPackages)[])('with the %s schema', (version) => {
  const schema = trackerSchema(version);

  it('has the types that the vendor publishes', () => {
    expect(Object.keys(schema.getTypeMap()).length).toBeGreaterThan(1_100);
    expect(validate(schema, parse('{ issues { nodes { identifer } } }'))).toMatchObject([
      { message: expect.stringContaining('Did you mean "identifier"') as string },
    ]);
    expect(
      validate(schema, parse('{ issues(filter: { id: { in: ["x"] } }, last: 1) { nodes { id } } }')),
    ).toEqual([]);
  });

  it.each(queries)('accepts the query for %s', (_, { text }) => {
    const errors = validate(schema, parse(text)).map(({ message }) => message);
    expect(errors.filter((message) => version === 'newest' || !isNewer.test(message))).toEqual([]);
  });

  it.each(queries)('lets the query for %s cost less than half of what one query may', (_, { text }) => {
    expect(complexityOf(schema, parse(text), { first: pageSize })).toBeLessThan(maxComplexity / 2);
  });
});

it('every list says how many items it asks for, so that its cost is known', () => {
  for (const [name, { text }] of queries) {
    const lists = text.match(/\bnodes\b/g)?.length ?? 0;
    expect([name, text.match(/\(first: /g)?.length ?? 0]).toEqual([name, lists]);
  }
});
