import { describe, expect, it } from 'vitest';
import { someEntity } from '../../../../../test/support/tracker/entity-arbitrary.ts';
import { namesOf } from './family.ts';
import { families, isPart, kinds } from './kinds.ts';
import { comment, customerNeed, partKinds } from './part-kinds.ts';
import type { TrackerKind } from './tracker-kind.ts';

const namesIn = (all: readonly { readonly name: string }[]) => new Set(all.map(({ name }) => name));

/** Returns the names among `named` that none of the families has. */
const unknownOf = (all: readonly { readonly name: string }[], named: readonly string[]) =>
  named.filter((name) => !namesIn(all).has(name));

/** Returns entities of a kind, each with another one of its fields filled, by a list or a reference. */
function filled(kind: TrackerKind) {
  const entity = someEntity(kind);
  return Object.entries(entity).map(([field, value]) => {
    const reference = { id: 'another' };
    return { ...entity, [field]: Array.isArray(value) ? [reference] : reference };
  });
}

describe('the families of the tracker', () => {
  it('depend on families that exist', () => {
    const named = families.flatMap(({ dependsOn = [] }) => dependsOn);
    expect(named).not.toEqual([]);
    expect(unknownOf(families, named)).toEqual([]);
  });

  it('are parts of kinds that exist', () => {
    expect(partKinds.every(isPart)).toBe(true);
    const parents = partKinds.flatMap((part) => part.parents);
    expect(unknownOf(kinds, parents)).toEqual([]);
  });

  it('are contained in kinds that exist', () => {
    const containers = kinds
      .flatMap((kind) => filled(kind).flatMap((entity) => kind.containersOf?.(entity) ?? []))
      .map((container) => container.kind);
    expect(new Set(containers)).toEqual(new Set(['issue', 'project', 'initiative', 'document']));
    expect(unknownOf(kinds, containers)).toEqual([]);
  });

  it('name parts that exist', () => {
    const details = { comments: [], needs: [someEntity(customerNeed)] };
    const parts = kinds
      .flatMap((kind) => filled(kind).flatMap((entity) => kind.partsOf?.(entity, details) ?? []))
      .map((part) => part.kind);
    expect(new Set(parts)).toEqual(new Set(['customer-need', 'attachment']));
    expect(unknownOf(partKinds, parts)).toEqual([]);
  });

  it('find their comments by their own name, and comments lead back to them', () => {
    const commented = kinds.filter(({ comments }) => comments !== undefined);
    for (const { name, comments } of commented)
      expect(JSON.stringify(comments?.({ eq: 'id' }))).toContain(
        `"${namesOf(name).field}":{"id":{"eq":"id"}}`,
      );
    expect(namesIn(commented)).toEqual(new Set(comment.parents));
  });
});
