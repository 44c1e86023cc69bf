import type { Language } from '../language.ts';
import { escaped, heredoc, looseHash, raw } from '../lexical/lexical-rule.ts';
import { importing } from '../lexical/use-rules.ts';
import { bySuffix } from '../modules/find-files.ts';

/** `$name`, `${name:-default}`, or its beginning if quotes follow. */
const variable = /\$(?:\{[^}"'`$\s]{0,200}\}|\{?\w{1,200}|[@*#?!$-])/y;
const inStrings = { escape: '\\', hole: '$(', names: variable } as const;
const assigned = '(variable_assignment name: (variable_name) @name) @define.variable';

export const shell: Language = {
  name: 'Shell',
  endings: 'sh bash zsh ksh fish bats',
  lexical: [
    escaped,
    ...looseHash,
    heredoc(/(?<!<)<<-?[ \t]{0,20}(?:'(\w{1,100})'|\\(\w{1,100}))/y),
    heredoc(/(?<!<)<<-?[ \t]{0,20}"?([A-Za-z_]\w{0,100})"?/y, inStrings),
    raw(/(?<=\$)'/y, "'", { first: "'", escape: '\\' }),
    raw("'", "'"),
    raw('"', '"', inStrings),
  ],
  uses: importing('source'),
  fileNames: '.bashrc .bash_profile .profile .zshrc .zshenv .envrc pkgbuild',
  interpreters: 'sh bash dash ash zsh ksh mksh pdksh fish bats rbash',
  grammar: { package: 'tree-sitter-bash', file: 'tree-sitter-bash.wasm' },
  family: 'bash',
  self: [],
  implicitSelf: false,
  outerNames: 'repository',
  modules: { filesOf: (tree, from, { source }) => bySuffix(tree, from, afterVariable(source)) },
  query: `
(function_definition name: (word) @name) @define.function
([(program ${assigned}) (if_statement ${assigned})] (#match? @name "^[A-Z_][A-Z0-9_]*$"))
(declaration_command ["export" "readonly" "declare" "typeset"] ${assigned})
(command
  name: (command_name (word) @import.require)
  argument: (_) @import.source
  (#match? @import.require "^(source|[.])$")) @import.all
(command name: (command_name (word) @call))
`,
};

/** Returns the part of a path after the last folder whose name contains a variable: `b/c.sh` of `$HOME/a$X/b/c.sh`. */
function afterVariable(source: string): string {
  const at = source.lastIndexOf('$', source.lastIndexOf('/'));
  return at < 0 ? source : source.slice(source.indexOf('/', at) + 1);
}
