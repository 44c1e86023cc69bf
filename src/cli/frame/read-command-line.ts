import { Argument, CommanderError, Option, Command as Parser } from 'commander';
import type { Command, CommandTable } from './command.ts';
import { commonFlagHelp } from './common-flags.ts';
import { type LoadedTable, loadAlong } from './load-along.ts';
import { type Parameter, ParameterFault } from './parameters.ts';
import { UsageError } from './usage-error.ts';

/** What a command line asks for. */
export type Request =
  | { readonly kind: 'run'; readonly command: Command; readonly args: Read; readonly flags: Read }
  | { readonly kind: 'help'; readonly text: string };

type Read = Readonly<Record<string, unknown>>;

/** Reads the words after the program's name. @throws UsageError, with the next step, for anything unknown or faulty */
export async function readCommandLine(words: readonly string[], table: CommandTable): Promise<Request> {
  const loaded = await loadAlong(words, table);
  let request: Request | undefined;
  let help = '';
  const root = buildRoot(loaded, (chosen) => {
    request = chosen;
  });
  // Commander prints; the frame prints instead, in one place and in the form that was asked for.
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
    // Asked for by --help or `help`; without one of its commands a group fails with the same text.
    if (error.exitCode === 0) return { kind: 'help', text: help };
    throw usageError(error, help);
  }
  if (request === undefined) throw new UsageError('No command was given.', 'Run `orgctx --help`.');
  return request;
}

function usageError(error: CommanderError, help: string): UsageError {
  // `commander.help`: a group without one of its commands; what there is to choose from is the message.
  if (error.code === 'commander.help') return new UsageError('A command is missing.', help.trimEnd());
  const [message = '', ...suggestion] = error.message.replace(/^error: /, '').split('\n');
  return new UsageError(
    message,
    suggestion.length > 0 ? suggestion.join(' ') : 'Run it with --help to see what it takes.',
  );
}

type Choose = (request: Request) => void;

function buildRoot(table: LoadedTable, choose: Choose): Parser {
  const root = new Parser('orgctx')
    .description('Organization-scoped context service for AI agents: one MCP server that knows your code.')
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'print this help');
  for (const { flag, description } of commonFlagHelp) root.addOption(new Option(flag, description));
  addCommands(root, table, choose);
  return root;
}

function addCommands(parent: Parser, table: LoadedTable, choose: Choose): void {
  for (const [name, entry] of Object.entries(table)) {
    const parser = parent.command(name).summary(entry.summary).copyInheritedSettings(parent);
    if (entry.command === undefined) continue;
    define(parser, entry.summary, entry.command, choose);
    addCommands(parser, entry.subcommands, choose);
  }
}

function define(parser: Parser, summary: string, command: Command, choose: Choose): void {
  parser.description(command.description ?? summary);
  if (command.examples)
    parser.addHelpText('after', `\nExamples:\n${command.examples.map((line) => `  ${line}\n`).join('')}`);
  for (const [name, argument] of Object.entries(command.args)) parser.addArgument(toArgument(name, argument));
  for (const [name, flag] of Object.entries(command.flags)) parser.addOption(toOption(name, flag));
  if (command.run === undefined) return;
  parser.action(() => {
    const typed = parser.opts<Record<string, Typed>>();
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
  // Commander reads `--no-x` as x = false; the flag `noX` is wanted.
  option.attributeName = () => name;
  option.negate = false;
  return option;
}

/** `dataDir` -> `--data-dir` */
function flagName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What commander keeps for one parameter: nothing, a switch, a text or several. */
type Typed = string | readonly string[] | boolean | undefined;

function typedTexts(typed: Typed): readonly string[] {
  if (typeof typed === 'object') return typed;
  return typed === undefined || typed === false ? [] : [String(typed)];
}

function readAll(
  parameters: Readonly<Record<string, Parameter<unknown>>>,
  textsOf: (name: string, index: number) => readonly string[],
  shown: (name: string) => string,
): Read {
  const read = (name: string, parameter: Parameter<unknown>, index: number): unknown => {
    try {
      return parameter.read(textsOf(name, index));
    } catch (error) {
      // The value is not repeated: it may be what should have been a secret.
      throw error instanceof ParameterFault ? new UsageError(`${shown(name)} ${error.message}.`) : error;
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
