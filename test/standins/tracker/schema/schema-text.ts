import {
  type Declarations,
  type DeclaredField,
  type DeclaredType,
  readDeclarations,
} from './declared-types.ts';

const builtIn: ReadonlySet<string> = new Set(['ID', 'String', 'Boolean', 'Int', 'Float']);

/**
 * Rebuilds the provider's GraphQL schema from a declaration file of `@linear/sdk`, which contains every type, argument,
 * enum and nullability of it, but no schema file.
 */
export function schemaText(declarationFile: string): string {
  const { scalars, types } = readDeclarations(declarationFile);
  const interfaces = new Set(
    [...types.values()].flatMap((type) => ('interfaces' in type ? type.interfaces : [])),
  );
  const argumentsOf = collectArguments(types, interfaces);
  const argumentTypes = new Set([...argumentsOf.values()].map(({ name }) => name));
  const parts = scalars.filter((name) => !builtIn.has(name)).map((name) => `scalar ${name}`);
  for (const [name, type] of types) {
    if (!argumentTypes.has(name)) parts.push(printType(name, type, interfaces, argumentsOf));
  }
  return `${parts.join('\n')}\n`;
}

interface Arguments {
  /** Name of the type that lists them. */
  readonly name: string;
  readonly fields: readonly DeclaredField[];
}

/** Finds the arguments of each field, which the declarations list in a type `<Type><Field>Args`. */
function collectArguments(
  types: Declarations['types'],
  interfaces: ReadonlySet<string>,
): ReadonlyMap<string, Arguments> {
  // The generator writes words its own way: `URL` becomes `Url`.
  const byName = new Map([...types].map(([name, type]) => [name.toLowerCase(), { name, type }]));
  const found = new Map<string, Arguments>();
  for (const [typeName, type] of types) {
    if (!('fields' in type) || (type.kind === 'plain' && !interfaces.has(typeName))) continue;
    for (const { name } of type.fields) {
      const list = byName.get(`${typeName}${name}Args`.toLowerCase());
      if (list?.type.kind === 'plain') {
        found.set(`${typeName}.${name}`, { name: list.name, fields: list.type.fields });
      }
    }
  }
  return found;
}

function printType(
  name: string,
  type: DeclaredType,
  interfaces: ReadonlySet<string>,
  argumentsOf: ReadonlyMap<string, Arguments>,
): string {
  if (type.kind === 'enum') return `enum ${name} { ${type.values.join(' ')} }`;
  if (type.kind === 'union') return `union ${name} = ${type.members.join(' | ')}`;
  if (type.kind === 'plain' && !interfaces.has(name))
    return `input ${name} ${block(type.fields.map(printField))}`;
  const fields = type.fields.map((field) => {
    const given = argumentsOf.get(`${name}.${field.name}`)?.fields ?? [];
    const list = given.length === 0 ? '' : `(${given.map(printField).join(', ')})`;
    return `${field.name}${list}: ${field.type}`;
  });
  const extended = type.interfaces.length === 0 ? '' : ` implements ${type.interfaces.join(' & ')}`;
  return `${type.kind === 'plain' ? 'interface' : 'type'} ${name}${extended} ${block(fields)}`;
}

function printField({ name, type }: DeclaredField): string {
  return `${name}: ${type}`;
}

function block(lines: readonly string[]): string {
  return `{\n  ${lines.join('\n  ')}\n}`;
}
