import type { Language } from '../language.ts';
import { hash, raw } from '../lexical/lexical-rule.ts';
import { importing, type UseRules } from '../lexical/use-rules.ts';
import { pythonModules } from './python-modules.ts';

/** The methods of `str`, `bytes`, `list`, `dict`, `set` and files. */
const builtInMethods = `add append capitalize casefold center clear close copy count decode difference discard encode
endswith expandtabs extend fileno find flush format fromkeys get hex index insert intersection isalnum isalpha isascii
isatty isdecimal isdigit isdisjoint isidentifier islower isnumeric isprintable isspace issubset issuperset istitle isupper
items join keys ljust lower lstrip maketrans partition pop popitem read readable readline readlines remove removeprefix
removesuffix replace reverse rfind rindex rjust rpartition rsplit rstrip seek seekable setdefault sort split splitlines
startswith strip swapcase tell title translate truncate union update upper values writable write writelines zfill`;

/** An assignment to a name. */
const named = (kind: string): string => `(assignment left: (identifier) @name) @define.${kind}`;

/** Assignments to one or several names. */
export const assigned = (kind: string): string => `[
  ${named(kind)}
  (assignment left: [(pattern_list (identifier) @name @define.${kind}) (tuple_pattern (identifier) @name @define.${kind})])
]`;

export const inCapitals = '(#match? @name "^[A-Z_][A-Z0-9_]*$")';

/** The statements of a module that depend on a condition or may fail. */
const conditional = (statement: string): string =>
  `(module [(if_statement [(block ${statement}) (_ (block ${statement}))]) (try_statement [(block ${statement}) (_ (block ${statement}))])])`;

const prefix = String.raw`(?<=(?:^|\W)(?:[fFtT][rR]?|[rR][fFtT]))`;
const plain = { first: '"\'', escape: '\\' } as const;
const formatted = { ...plain, hole: '{' } as const;

const pythonUses: UseRules = importing('import|from');

/** Comments and strings. A backslash before a quotation mark counts in raw strings, too. */
export const pythonLexical = [
  ...hash,
  raw(new RegExp(`${prefix}("""|''')`, 'y'), '$1', formatted),
  raw(/("""|''')/y, '$1', plain),
  raw(new RegExp(`${prefix}(["'])`, 'y'), '$1', { ...formatted, oneLine: true }),
  raw(/(["'])/y, '$1', { ...plain, oneLine: true }),
];

export const python: Language = {
  name: 'Python',
  endings: 'py pyi pyw',
  lexical: pythonLexical,
  uses: pythonUses,
  testFiles: 'conftest.py',
  generatedEnds: '_pb2.py _pb2.pyi _pb2_grpc.py _pb2_grpc.pyi',
  declarationEnds: '.pyi',
  interpreters: 'python pypy uv pipx poetry ipython',
  grammar: { package: 'tree-sitter-python', file: 'tree-sitter-python.wasm' },
  family: 'python',
  self: ['self', 'cls'],
  base: ['super()'],
  implicitSelf: false,
  outerNames: 'nowhere',
  modules: pythonModules,
  constructed: /(?:^|\.)[A-Z]\w*$/,
  builtInMethods: new Set(builtInMethods.split(/\s+/)),
  moduleName: (source) => source,
  moduleFiles: (name) => [`${name}.py`, `${name}/__init__.py`],
  query: `
(decorated_definition
  (decorator [(identifier) @decorator (_ attribute: (identifier) @decorator)])
  definition: (function_definition name: (identifier) @name) @define.function @signature
  (#eq? @decorator "overload"))
(function_definition name: (identifier) @name return_type: (type)? @result) @define.function
(class_definition name: (identifier) @name) @define.class
(module (expression_statement (assignment left: (identifier) @name right: (lambda)) @define.function))
(module (expression_statement ${assigned('constant')} ${inCapitals}))
(module (expression_statement ${assigned('variable')}))
${conditional(`(expression_statement ${named('constant')} ${inCapitals})`)}
${conditional(`(expression_statement ${named('variable')})`)}
(class_definition body: (block (expression_statement (assignment left: (identifier) @name right: (lambda)) @define.method)))
(class_definition body: (block (expression_statement ${assigned('field')})))
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @define.type

(import_statement name: (dotted_name) @import.source)
(import_statement name: (aliased_import name: (dotted_name) @import.source alias: (identifier) @import.local))
(import_from_statement module_name: (_) @import.source name: (dotted_name) @import.name)
(import_from_statement
  module_name: (_) @import.source
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.local))
(import_from_statement module_name: (_) @import.source (wildcard_import) @import.all)

(typed_parameter . (identifier) @var type: (type) @var.type)
(typed_default_parameter name: (identifier) @var type: (type) @var.type)
(assignment left: (identifier) @var type: (type) @var.type)
(assignment
  left: [(identifier) @var (_ attribute: (identifier) @field)]
  right: (_ function: (identifier) @var.type (#match? @var.type "^_*[A-Z]")))
(assignment
  left: [(identifier) @var (_ attribute: (identifier) @field)]
  right: [
    [(string) (list) (dictionary) (list_comprehension) (integer) (float)] @var.type
    (_ function: (attribute) @var.call)
    (await (_ function: [(identifier) (attribute)] @var.call))
  ])
(assignment
  left: [(identifier) @var (_ attribute: (identifier) @field)]
  right: (_ function: (identifier) @var.call (#not-match? @var.call "^_*[A-Z]")))

(assignment left: (_ attribute: (identifier) @field) right: (identifier) @var.from)
(assignment left: (identifier) @var right: (attribute) @var.from)

(for_statement left: (identifier) @var right: [(identifier) (attribute)] @var.of)
(for_in_clause left: (identifier) @var right: [(identifier) (attribute)] @var.of)

(assignment left: (identifier) @local)
(pattern_list (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(as_pattern_target (identifier) @local)

(call function: [(identifier) @call (_ object: (_) @receiver attribute: (identifier) @call)])
(decorator [(identifier) @call (_ object: (_) @receiver attribute: (identifier) @call)])
(class_definition superclasses: (argument_list
  [(identifier) @inherits (_ object: (_) @receiver attribute: (identifier) @inherits)]))
(type (identifier) @type)
(generic_type (identifier) @type)
(argument_list (identifier) @value)
(keyword_argument value: (identifier) @value)
`,
};
