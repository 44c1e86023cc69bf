import { getNamedType, getNullableType, isListType, isNonNullType, isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { createGraphqlApi } from '../../standins/tracker/graphql/graphql-api.ts';
import { createWorkspace } from '../../standins/tracker/model.ts';
import { trackerSchema } from '../../standins/tracker/schema/tracker-schema.ts';
import { createRandom } from '../../support/connectors/random.ts';
import { testSeed } from '../../support/run/seed.ts';
import { fillWorkspace } from '../../support/tracker/example-workspace.ts';
import { changeAnything } from '../../support/tracker/random-changes.ts';

const lists = {
  Attachment: 'attachments',
  Comment: 'comments',
  CustomerNeed: 'customerNeeds',
  InitiativeUpdate: 'initiativeUpdates',
  Issue: 'issues',
  IssueRelation: 'issueRelations',
  ProjectUpdate: 'projectUpdates',
};

/** Returns the fields of a type that refer to an entity and are never null. */
function requiredReferences(type: string): readonly string[] {
  const named = trackerSchema().getType(type);
  if (!isObjectType(named)) throw new Error(`the schema has no type ${type}`);
  return Object.values(named.getFields()).flatMap((field) => {
    const isReference = isNonNullType(field.type) && !isListType(getNullableType(field.type));
    const target = getNamedType(field.type);
    return isReference && isObjectType(target) && 'updatedAt' in target.getFields() ? [field.name] : [];
  });
}

const query = `{ ${Object.entries(lists)
  .map(([type, list]) => {
    const references = requiredReferences(type).map((name) => `${name} { id }`);
    return `${list}(first: 50, includeArchived: true) { nodes { id ${references.join(' ')} } }`;
  })
  .join(' ')} }`;

it('random changes leave every entity with the entities that the schema requires', async () => {
  expect(query).toContain('attachments(first: 50, includeArchived: true) { nodes { id issue { id } } }');
  const random = createRandom(testSeed());
  for (let round = 0; round < 60; round += 1) {
    const workspace = createWorkspace('Acme', 'https://linear.app');
    fillWorkspace(workspace);
    const api = createGraphqlApi(workspace, 'newest');
    Object.assign(api.limits, { requests: 10 ** 6, complexity: 10 ** 9 });
    for (let n = 0; n < 60; n += 1) changeAnything(workspace, random);
    const { body } = await api.answer(JSON.stringify({ query }));
    expect(body).not.toHaveProperty('errors');
  }
});
