import { createRequire } from 'node:module';
import { Language, type Node, Parser } from 'web-tree-sitter';

const require = createRequire(import.meta.url);

/** A definition that a parser of the language finds. */
export interface Definition {
  readonly name: string;
  /** Line of the name; 1-based. */
  readonly line: number;
  /** True for kinds that people look up by name: no field, variable, enumeration constant or local function. */
  readonly isSought: boolean;
}

interface Grammar {
  /** Path of the grammar. */
  readonly wasm: string;
  readonly extensions: readonly string[];
  /** Types of nodes that define their field `name` and that people look up. */
  readonly sought: readonly string[];
  readonly others: readonly string[];
  /** Returns whether a node counts at its position. Default: everywhere. */
  readonly counts?: (node: Node) => boolean;
}

/** The official grammars; definitions inside functions count only if they are functions or types themselves. */
const grammars: Readonly<Record<string, Grammar>> = {
  Go: {
    wasm: require.resolve('tree-sitter-go/tree-sitter-go.wasm'),
    extensions: ['go'],
    sought: ['function_declaration', 'method_declaration', 'type_spec', 'type_alias', 'const_spec'],
    others: ['var_spec', 'method_elem', 'field_declaration'],
    counts: (node) =>
      node.type === 'method_elem' || node.type === 'field_declaration'
        ? isIn(node, 2, 'type_spec', 3)
        : !isInside(node, 'block'),
  },
  TypeScript: {
    wasm: require.resolve('tree-sitter-typescript/tree-sitter-typescript.wasm'),
    extensions: ['ts'],
    sought: [
      'function_declaration',
      'generator_function_declaration',
      'class_declaration',
      'abstract_class_declaration',
      'interface_declaration',
      'type_alias_declaration',
      'enum_declaration',
      'method_definition',
    ],
    others: [
      'function_signature',
      'public_field_definition',
      'method_signature',
      'abstract_method_signature',
      'variable_declarator',
    ],
    counts: (node) =>
      node.type === 'variable_declarator'
        ? !isInside(node, 'statement_block') &&
          !isInside(node, 'for_statement') &&
          !isInside(node, 'for_in_statement') &&
          !isInside(node, 'arrow_function')
        : node.type === 'method_definition'
          ? node.parent?.type === 'class_body'
          : node.type !== 'method_signature' ||
            node.parent?.type === 'interface_body' ||
            node.parent?.type === 'class_body',
  },
  Python: {
    wasm: require.resolve('tree-sitter-python/tree-sitter-python.wasm'),
    extensions: ['py'],
    sought: ['function_definition', 'class_definition'],
    others: ['assignment'],
    counts: (node) => node.type !== 'assignment' || isAttribute(node),
  },
  Java: {
    wasm: require.resolve('tree-sitter-java/tree-sitter-java.wasm'),
    extensions: ['java'],
    sought: [
      'class_declaration',
      'interface_declaration',
      'enum_declaration',
      'record_declaration',
      'annotation_type_declaration',
      'method_declaration',
    ],
    others: [
      'constructor_declaration',
      'compact_constructor_declaration',
      'enum_constant',
      'annotation_type_element_declaration',
      'variable_declarator',
    ],
    counts: (node) =>
      node.type !== 'variable_declarator' ||
      node.parent?.type === 'field_declaration' ||
      node.parent?.type === 'constant_declaration',
  },
  Rust: {
    wasm: require.resolve('tree-sitter-rust/tree-sitter-rust.wasm'),
    extensions: ['rs'],
    sought: [
      'function_item',
      'struct_item',
      'union_item',
      'enum_item',
      'trait_item',
      'type_item',
      'const_item',
      'static_item',
      'macro_definition',
    ],
    others: ['function_signature_item', 'mod_item', 'field_declaration', 'enum_variant'],
    counts: (node) =>
      node.type === 'mod_item'
        ? node.childForFieldName('body') !== null
        : !['type_item', 'const_item', 'static_item'].includes(node.type) || !isInside(node, 'block'),
  },
};

export const languages: readonly string[] = Object.keys(grammars);

function isInside(node: Node, type: string): boolean {
  for (let at = node.parent; at !== null; at = at.parent) if (at.type === type) return true;
  return false;
}

/** Returns whether one of the ancestors number `from` to `to` has the type; the parent is number 1. */
function isIn(node: Node, from: number, type: string, to: number): boolean {
  let at: Node | null = node;
  for (let steps = 1; steps <= to && at !== null; steps++) {
    at = at.parent;
    if (steps >= from && at?.type === type) return true;
  }
  return false;
}

/** Returns whether the assignment is to a name in a module or a class. */
function isAttribute(node: Node): boolean {
  const around = node.parent?.parent;
  return (
    node.childForFieldName('left')?.type === 'identifier' &&
    (around?.type === 'module' || (around?.type === 'block' && around.parent?.type === 'class_definition'))
  );
}

export interface SyntaxTrees {
  /** Returns the definitions of a file; `undefined` if its language is unknown or the text cannot be parsed. */
  definitions(path: string, text: string): { language: string; definitions: Definition[] } | undefined;
}

export async function openSyntaxTrees(): Promise<SyntaxTrees> {
  await Parser.init();
  const byExtension = new Map<string, { name: string; grammar: Grammar; parser: Parser }>();
  for (const [name, grammar] of Object.entries(grammars)) {
    const parser = new Parser();
    parser.setLanguage(await Language.load(grammar.wasm));
    for (const extension of grammar.extensions) byExtension.set(extension, { name, grammar, parser });
  }
  return {
    definitions: (path, text) => {
      const known = byExtension.get(path.slice(path.lastIndexOf('.') + 1));
      if (known === undefined || path.endsWith('.d.ts')) return undefined;
      const tree = known.parser.parse(text);
      if (tree === null) return undefined;
      const definitions = definitionsOf(tree.rootNode, known.grammar);
      tree.delete();
      return { language: known.name, definitions };
    },
  };
}

function definitionsOf(root: Node, { sought, others, counts = () => true }: Grammar): Definition[] {
  const soughtTypes = new Set(sought);
  return root.descendantsOfType([...sought, ...others]).flatMap((node) => {
    if (node === null || !counts(node)) return [];
    const name = node.childForFieldName('name') ?? node.childForFieldName('left');
    // A name that is a pattern (`const { a, b } =`) defines several.
    if (name === null || !/^[\w$#]+$/.test(name.text) || name.text === '_') return [];
    const isSought = soughtTypes.has(node.type);
    return [{ name: name.text.replace(/^#/, ''), line: name.startPosition.row + 1, isSought }];
  });
}
