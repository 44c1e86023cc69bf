import { Argument, CommanderError, Help, Option, Command as Parser } from 'commander';
import { closestName } from '../../foundation/kernel/text/closest-name.ts';
import { flagName } from '../../foundation/kernel/text/flag-name.ts';
import type { Command, CommandTable } from './command.ts';
import { commonFlagHelp, isCommonFlag } from './common-flags.ts';
import { type LoadedTable, loadAlong } from './load-along.ts';
import { type Parameter, ParameterError } from './parameters.ts';
import { UsageError } from './usage-error.ts';

/** The request of a command line: to run a command, or to print help. */
export type Request =
  | { readonly kind: 'run'; readonly command: Command; readonly args: Read; readonly flags: Read }
  | { readonly kind: 'help'; readonly text: string };

type Read = Readonly<Record<string, unknown>>;

/** Parses the words after the program name. @throws UsageError, with what to do next, for unknown or invalid words */
export async function readCommandLine(given: readonly string[], table: CommandTable): Promise<Request> {
  const requested = rewritten(given);
  const loaded = await loadAlong(requested, table);
  const words = withoutVainHelp(requested, loaded);
  let request: Request | undefined;
  let help = '';
  const root = buildRoot(loaded, (chosen) => {
    request = chosen;
  });
  // Commander must not print: the frame prints, in the requested format.
  forEachParser(root, (parser) =>
    parser.exitOverride().configureOutput({
      writeOut: (text) => void (help += text),
      writeErr: (text) => void (help += text),
      outputError: () => undefined,
    }),
  );
  try {
    await root.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Exit code 0 means --help or `help`; a group without a subcommand fails with the same text.
    if (error.exitCode === 0) return { kind: 'help', text: help };
    throw usageError(error, help, groupIn(words, loaded));
  }
  if (request === undefined)
    throw new UsageError('No command was given.', 'Run "orgctx --help" for a list of commands.');
  return request;
}

const versionFlags: readonly string[] = ['-v', '--version'];
const helpFlags: readonly string[] = ['-h', '--help'];

/**
 * Rewrites the forms that Commander reads in another way: no command at all is `--help`, `--version` is `version`, and
 * `help repo add` is `repo add --help`.
 */
function rewritten(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !isCommonFlag(word));
  const word = words[first];
  if (word === undefined) return [...words, '--help'];
  if (versionFlags.includes(word)) return words.with(first, 'version');
  return word === 'help' ? [...words.toSpliced(first, 1), '--help'] : words;
}

/** Removes the help flags after an unknown command, so that it is refused instead of showing other help. */
function withoutVainHelp(words: readonly string[], table: LoadedTable): readonly string[] {
  let commands = table;
  for (const word of words.filter((each) => !each.startsWith('-'))) {
    if (Object.keys(commands).length === 0) break;
    const entry = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (entry === undefined) return words.filter((each) => !helpFlags.includes(each));
    commands = entry.subcommands;
  }
  return words;
}

/** The group of commands that a command line names. */
interface NamedGroup {
  /** The words that name it; none for the program itself. */
  readonly path: readonly string[];
  readonly commands: LoadedTable;
  /** The word after them, which is none of its commands. */
  readonly unknown: string | undefined;
}

function groupIn(words: readonly string[], table: LoadedTable): NamedGroup {
  const path: string[] = [];
  let commands = table;
  for (const word of words.filter((each) => !each.startsWith('-'))) {
    const entry = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (entry === undefined) return { path, commands, unknown: word };
    path.push(word);
    commands = entry.subcommands;
  }
  return { path, commands, unknown: undefined };
}

function usageError(error: CommanderError, help: string, group: NamedGroup): UsageError {
  // `commander.help` means a group without a subcommand; its help lists the choices.
  if (error.code === 'commander.help') return new UsageError('A command is missing.', help.trimEnd());
  const [message = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  if (suggestion.length > 0) return new UsageError(message, suggestion.join(' '));
  // A command that has subcommands and also runs by itself (`doctor`) takes a mistyped one for an argument.
  const nearest =
    error.code === 'commander.excessArguments' && group.unknown !== undefined
      ? closestName(group.unknown, Object.keys(group.commands))
      : undefined;
  if (nearest !== undefined) {
    return new UsageError(`unknown command '${group.unknown}'`, `(Did you mean ${nearest}?)`);
  }
  const hint =
    error.code === 'commander.unknownCommand'
      ? `Run "${['orgctx', ...group.path].join(' ')} --help" for a list of commands.`
      : 'Run the command with --help for its usage.';
  return new UsageError(message, hint);
}

type Choose = (request: Request) => void;

/** The line of `--version` in the help of the program; `rewritten` handles the flag. */
const versionOption = new Option('-v, --version', 'print the version');

function buildRoot(table: LoadedTable, choose: Choose): Parser {
  const root = new Parser('orgctx')
    .description(
      'Context service for AI agents: one MCP server that knows the code, issues and incidents of your organization.',
    )
    .configureHelp({
      showGlobalOptions: true,
      visibleOptions(parser) {
        const options = Help.prototype.visibleOptions.call(this, parser);
        return parser.parent === null ? [versionOption, ...options] : options;
      },
      // A flag that a command shares with the command above it is listed once.
      visibleGlobalOptions(parser) {
        const own = new Set(parser.options.map(({ long }) => long));
        return Help.prototype.visibleGlobalOptions.call(this, parser).filter(({ long }) => !own.has(long));
      },
    })
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', '\nRun "orgctx COMMAND --help" for the flags and examples of a command.');
  for (const { flag, description } of commonFlagHelp) root.addOption(new Option(flag, description));
  addCommands(root, table, choose);
  return root;
}

function addCommands(parent: Parser, table: LoadedTable, choose: Choose): void {
  for (const [name, entry] of Object.entries(table)) {
    const parser = parent.command(name).summary(entry.summary).copyInheritedSettings(parent);
    if (entry.group !== undefined) parser.helpGroup(`${entry.group}:`);
    if (entry.command === undefined) continue;
    define(parser, entry.summary, entry.command, choose);
    addCommands(parser, entry.subcommands, choose);
  }
}

function define(parser: Parser, summary: string, command: Command, choose: Choose): void {
  parser.description(command.description ?? summary);
  if (command.examples)
    parser.addHelpText(
      'after',
      `\nExamples:\n${command.examples.map((line) => `${fitted(`  ${line}`)}\n`).join('')}`,
    );
  for (const [name, argument] of Object.entries(command.args)) parser.addArgument(toArgument(name, argument));
  for (const [name, flag] of Object.entries(command.flags)) parser.addOption(toOption(name, flag));
  if (command.run === undefined) return;
  parser.action(() => {
    // A command above it that has the same flag (`doctor --data-dir`) takes the value, wherever it stands.
    const typed = parser.optsWithGlobals<Record<string, Typed>>();
    choose({
      kind: 'run',
      command,
      args: readAll(
        command.args,
        (_, index) => typedTexts(parser.processedArgs[index] as Typed),
        (name) => `<${name}>`,
      ),
      flags: readAll(command.flags, (name) => typedTexts(typed[name]), flagName),
    });
  });
}

function toArgument(name: string, argument: Parameter<unknown>): Argument {
  const word = argument.shape === 'values' ? `${name}...` : name;
  const usage = argument.required ? `<${word}>` : `[${word}]`;
  return new Argument(usage, argument.description);
}

function toOption(name: string, flag: Parameter<unknown>): Option {
  const value = flag.shape === 'switch' ? '' : ` <${flag.placeholder}>`;
  const option = new Option(`${flagName(name)}${value}`, flag.description).makeOptionMandatory(flag.required);
  if (flag.shape === 'values') option.argParser(collected);
  // Commander would parse `--no-x` as x = false instead of as the flag `noX`.
  option.attributeName = () => name;
  option.negate = false;
  return option;
}

function collected(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** The value that Commander stores for one parameter: nothing, a switch, a text or several. */
type Typed = string | readonly string[] | boolean | undefined;

function typedTexts(typed: Typed): readonly string[] {
  if (typeof typed === 'object') return typed;
  return typed === undefined || typed === false ? [] : [String(typed)];
}

function readAll(
  parameters: Readonly<Record<string, Parameter<unknown>>>,
  textsOf: (name: string, index: number) => readonly string[],
  displayName: (name: string) => string,
): Read {
  const read = (name: string, parameter: Parameter<unknown>, index: number): unknown => {
    try {
      return parameter.read(textsOf(name, index));
    } catch (error) {
      // The error does not quote the value, because it may be a misplaced secret.
      throw error instanceof ParameterError
        ? new UsageError(`${displayName(name)} ${error.message}.`)
        : error;
    }
  };
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter], index) => [name, read(name, parameter, index)]),
  );
}

function forEachParser(parser: Parser, visit: (parser: Parser) => void): void {
  visit(parser);
  for (const child of parser.commands) forEachParser(child, visit);
}

/** Maximum width of help, in columns. */
const columns = 80;

/** Breaks an example before a flag where it is too wide, as a shell accepts it. */
function fitted(line: string): string {
  if (line.length <= columns) return line;
  const end = line.lastIndexOf(' --', columns - 2);
  return end <= 0 ? line : `${line.slice(0, end)} \\\n${fitted(`      ${line.slice(end + 1)}`)}`;
}
