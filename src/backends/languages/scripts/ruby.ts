import { type Language, typeName } from '../language.ts';
import { block, hash, heredoc, matched, raw } from '../lexical/lexical-rule.ts';
import { importing } from '../lexical/use-rules.ts';
import { rubyModules } from './ruby-modules.ts';

/** Methods of all objects, and of strings, arrays, hashes, ranges, files and threads. */
const rubyMethods = `add all? any? append backtrace call chomp class clear clone close collect compact concat count delete delete_if dig
downcase drop dup each each_key each_pair each_value each_with_index each_with_object empty? end_with? entries eql? equal?
exist? extend fetch filter filter_map find find_all first flat_map flatten flush format freeze frozen? get group_by gsub has_key?
hash include? index inject insert inspect instance_of? is_a? join key key? keys kind_of? last length lines load map match
match? max members merge merge! message method_missing min name new next nil? none? open partition path pop prepend print push puts
read reduce reject replace respond_to? reverse rewind run scan select send set shift signal size skip slice sleep sort
sort_by source split start start_with? step stop strip sub succ sum take tap test time times to_a to_h to_i to_json to_proc
to_s to_str to_sym trim uniq unshift update upcase value values wait write yield zip`;

const inStrings = { escape: '\\', hole: '#{' } as const;
/** Comments and strings; lists of words and regular expressions, where a value may begin. */
export const rubyLexical = [
  block(/^=begin\b/my, '\n=end', { first: '=' }),
  raw(/^__END__$/my, '\0', { first: '_' }),
  matched('code', '$', /\$["'`/;]/y),
  matched('string', '?', /(?<![\w)\]}?"'])\?(?:\\.|\S)(?!\w)/y, { value: true }),
  ...hash,
  heredoc(/<<[-~]'(\w{1,100})'/y),
  heredoc(/<<(?:[-~]["`]?|["`]?(?=[A-Z]))([A-Za-z_]\w{0,100})/y, inStrings),
  raw(/%[wiq]([({[<|!/])/y, '$1', { first: '%', escape: '\\' }),
  raw(/%[WIQrxs]([({[<|!/])/y, '$1', { first: '%', ...inStrings }),
  raw(/%([({[<|!])/y, '$1', { first: '%', value: true, ...inStrings }),
  raw(/(?<=[a-z_?!][ \t])%([({[<|!])(?!\s)/y, '$1', { first: '%', ...inStrings }),
  raw('/', '/', { value: true, ...inStrings }),
  raw(/(?<=[a-z_?!][ \t])\/(?![\s=])/y, '/', { first: '/', ...inStrings }),
  raw("'", "'", { escape: '\\' }),
  raw(/(["`])/y, '$1', { first: '"`', ...inStrings }),
];

export const ruby: Language = {
  name: 'Ruby',
  endings: 'rb rake gemspec ru podspec',
  lexical: rubyLexical,
  uses: importing('require(?:_relative)?'),
  fileNames: 'gemfile rakefile podfile vagrantfile brewfile fastfile guardfile',
  interpreters: 'ruby jruby macruby rake',
  grammar: { package: 'tree-sitter-ruby', file: 'tree-sitter-ruby.wasm' },
  family: 'ruby',
  self: ['self', 'self.class', 'super'],
  implicitSelf: true,
  outerNames: 'repository',
  modules: rubyModules,
  typeReceiver: typeName,
  attributesAreCalls: true,
  reopensTypes: true,
  builtInMethods: new Set(rubyMethods.split(/\s+/)),
  query: `
(method name: (_) @name) @define.function
(singleton_method name: (_) @name) @define.function
(class name: [(constant) @name (_ scope: (_) @owner name: (constant) @name)]) @define.class
(module name: [(constant) @name (_ scope: (_) @owner name: (constant) @name)]) @define.module
(class name: (scope_resolution !scope name: (constant) @name)) @define.class
(assignment left: (constant) @name right: (_ receiver: (constant) @base method: (identifier) @made)
  (#any-of? @base "Class" "Data" "Struct")
  (#any-of? @made "define" "new")) @define.class
(assignment left: (constant) @name right: (_ receiver: (constant) @base method: (identifier) @made)
  (#eq? @base "Module")
  (#eq? @made "new")) @define.module
(assignment
  left: (constant)
  right: (_
    receiver: (constant) @base
    method: (identifier) @made
    arguments: (argument_list (simple_symbol) @name @define.field))
  (#any-of? @base "Data" "Struct")
  (#any-of? @made "define" "new"))
(assignment left: (constant) @name) @define.constant
(assignment left: (_ scope: (_) @owner name: (constant) @name)) @define.constant
(assignment left: (left_assignment_list (constant) @name)) @define.constant
(operator_assignment left: (constant) @name) @define.constant
(alias name: (_) @name) @define.method
(call
  !receiver
  method: (identifier) @defining
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @defining "alias_method" "define_method" "define_singleton_method")) @define.method
(call
  !receiver
  method: (identifier) @accessor
  arguments: (argument_list (simple_symbol) @name @define.field)
  (#match? @accessor "^(?:[cm]?attr_(?:accessor|reader|writer)|attr|class_attribute)$"))

(call
  !receiver
  method: (identifier) @import.require
  arguments: (argument_list . (string (string_content) @import.source)) @import.all
  (#match? @import.require "^(require|require_relative|load)$"))

(assignment
  left: [(identifier) @var (instance_variable) @field]
  right: (_ receiver: (constant) @var.type method: (identifier) @new.method)
  (#eq? @new.method "new"))

(call !receiver method: (_) @call)
(call receiver: (_) @receiver method: (_) @call (#not-eq? @call "new"))
(call
  receiver: [(constant) @new (_ scope: (_) @receiver name: (constant) @new)]
  method: (identifier) @new.method
  (#eq? @new.method "new"))
(superclass [(constant) @inherits (_ scope: (_) @receiver name: (constant) @inherits)])
(call
  !receiver
  method: (identifier) @mixin
  arguments: (argument_list [
    (constant) @inherits
    (_ scope: (_) @receiver name: (constant) @inherits)
  ])
  (#match? @mixin "^(include|extend|prepend)$"))
(argument_list (constant) @type)
(body_statement (identifier) @call @bare)
(assignment right: (identifier) @call @bare)

(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(destructured_parameter (identifier) @local)
(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
(exception_variable (identifier) @local)
(assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(operator_assignment left: (identifier) @local)
`,
};
