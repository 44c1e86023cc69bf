import {
  parseSync,
  type TsEnumDeclaration,
  type TsPropertySignature,
  type TsType,
  type TsTypeAliasDeclaration,
} from '@swc/core';

/** One type of the declarations that `@linear/sdk` generates from the schema. */
export type DeclaredType =
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'union'; readonly members: readonly string[] }
  | {
      /** `object` has a field `__typename` with its own name; input types and interfaces have none. */
      readonly kind: 'object' | 'plain';
      readonly interfaces: readonly string[];
      readonly fields: readonly DeclaredField[];
    };

export interface DeclaredField {
  readonly name: string;
  /** As GraphQL writes it: `[String!]!`. */
  readonly type: string;
}

export interface Declarations {
  readonly scalars: readonly string[];
  readonly types: ReadonlyMap<string, DeclaredType>;
}

/** Names that the generator of the declarations changed. */
const renames: Readonly<Record<string, string>> = {
  IdComparator: 'IDComparator',
  IssueIdComparator: 'IssueIDComparator',
};

const helperTypes: ReadonlySet<string> = new Set([
  'Maybe',
  'InputMaybe',
  'Exact',
  'MakeOptional',
  'MakeMaybe',
]);

/** Reads the types of the schema from a declaration file of `@linear/sdk`. */
export function readDeclarations(text: string): Declarations {
  let scalars: readonly string[] = [];
  const types = new Map<string, DeclaredType>();
  for (const item of parseSync(schemaPartOf(text), { syntax: 'typescript' }).body) {
    if (item.type === 'TsEnumDeclaration') types.set(nameOf(item.id.value), enumOf(item));
    if (item.type !== 'TsTypeAliasDeclaration' || helperTypes.has(item.id.value)) continue;
    if (item.id.value === 'Scalars') scalars = propertiesOf(item.typeAnnotation).map(keyOf);
    else types.set(nameOf(item.id.value), aliasOf(item));
  }
  return { scalars, types };
}

/** Returns the part between the helper types and the first fragment: the rest are operations of the SDK. */
function schemaPartOf(text: string): string {
  const start = text.indexOf('type Maybe<');
  const fragment = text.slice(start).search(/^type \w+Fragment = /m);
  if (start === -1 || fragment === -1) throw new Error('the declarations of @linear/sdk have another layout');
  const part = text.slice(start, start + fragment);
  return part.slice(0, part.lastIndexOf('\n};') + 3);
}

function nameOf(name: string): string {
  return renames[name] ?? name;
}

function enumOf({ members }: TsEnumDeclaration): DeclaredType {
  const values = members.map(({ init }) => {
    if (init?.type !== 'StringLiteral') throw new Error('an enum has a value that is no text');
    return init.value;
  });
  return { kind: 'enum', values };
}

function aliasOf({ id, typeAnnotation }: TsTypeAliasDeclaration): DeclaredType {
  if (typeAnnotation.type === 'TsUnionType') {
    return { kind: 'union', members: typeAnnotation.types.map(referenceOf) };
  }
  const parts = typeAnnotation.type === 'TsIntersectionType' ? typeAnnotation.types : [typeAnnotation];
  const literal = parts.at(-1);
  if (literal === undefined) throw new Error(`${id.value} has no fields`);
  const properties = propertiesOf(literal);
  return {
    kind: properties.some((property) => keyOf(property) === '__typename') ? 'object' : 'plain',
    interfaces: parts.slice(0, -1).map(referenceOf),
    fields: properties.filter((property) => keyOf(property) !== '__typename').map(fieldOf),
  };
}

function propertiesOf(type: TsType): readonly TsPropertySignature[] {
  const literal = type.type === 'TsParenthesizedType' ? type.typeAnnotation : type;
  if (literal.type !== 'TsTypeLiteral') throw new Error(`expected fields, found ${literal.type}`);
  return literal.members.filter((member) => member.type === 'TsPropertySignature');
}

function keyOf({ key }: TsPropertySignature): string {
  if (key.type === 'Identifier' || key.type === 'StringLiteral') return key.value;
  throw new Error(`a field has a name of the kind ${key.type}`);
}

function fieldOf(property: TsPropertySignature): DeclaredField {
  const type = property.typeAnnotation?.typeAnnotation;
  if (type === undefined) throw new Error(`${keyOf(property)} has no type`);
  const written = graphqlType(type);
  // A field that may be absent although it is not nullable has a default.
  const name = keyOf(property);
  return { name, type: property.optional ? written.replace(/!$/, '') : written };
}

function graphqlType(type: TsType): string {
  if (type.type === 'TsIndexedAccessType' && type.indexType.type === 'TsLiteralType') {
    const { literal } = type.indexType;
    if (literal.type === 'StringLiteral') return `${literal.value}!`;
  }
  if (type.type !== 'TsTypeReference') throw new Error(`a field has a type of the kind ${type.type}`);
  const name = referenceOf(type);
  const [inner] = type.typeParams?.params ?? [];
  if (inner === undefined) return `${name}!`;
  return name === 'Array' ? `[${graphqlType(inner)}]!` : graphqlType(inner).replace(/!$/, '');
}

function referenceOf(type: TsType): string {
  if (type.type !== 'TsTypeReference' || type.typeName.type !== 'Identifier') {
    throw new Error(`expected the name of a type, found ${type.type}`);
  }
  return nameOf(type.typeName.value);
}
