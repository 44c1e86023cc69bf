import {
  type ArgumentNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** What one query may cost. */
export const maxComplexity = 10_000;
/** What the provider counts for a list without `first`. */
const defaultFirst = 50;

/**
 * Computes what a query costs: an object counts 1, a property 0.1, and a list multiplies its items by the number that
 * it asks for, however many there are.
 */
export function complexityOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  let operation: OperationDefinitionNode | undefined;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if (definition.kind === Kind.OPERATION_DEFINITION) operation = definition;
  }
  if (operation === undefined) return 0;

  function firstOf(given: readonly ArgumentNode[]): number {
    const value = given.find(({ name }) => name.value === 'first' || name.value === 'last')?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind !== Kind.VARIABLE) return defaultFirst;
    return Number(variables[value.name.value] ?? defaultFirst);
  }

  function costOf(
    type: GraphQLOutputType | null | undefined,
    { selections }: SelectionSetNode,
    items = 1,
  ): number {
    return selections.reduce((sum, selection) => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + costOf(type, selection.selectionSet, items);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        return fragment === undefined ? sum : sum + costOf(type, fragment.selectionSet, items);
      }
      if (selection.selectionSet === undefined) return sum + 0.1;
      const owner = type === undefined || type === null ? undefined : getNamedType(type);
      const field = isObjectType(owner) ? owner.getFields()[selection.name.value] : undefined;
      const inner = costOf(field?.type, selection.selectionSet);
      // The items of a list count as often as the list asks for; its `first` stands one level above them.
      if (['nodes', 'edges'].includes(selection.name.value)) return sum + (1 + inner) * items;
      if (field?.args.some(({ name }) => name === 'first') !== true) return sum + 1 + inner;
      return sum + costOf(field.type, selection.selectionSet, firstOf(selection.arguments ?? []));
    }, 0);
  }

  return costOf(schema.getQueryType(), operation.selectionSet);
}
