import type { CompletedCommand, CompletedWord } from './command-tree.ts';

type Commands = readonly CompletedCommand[];

export const shells = ['bash', 'zsh', 'fish'] as const;

/** The script of each shell. All words are those of this program, so the script never runs the program. */
export const scripts: Readonly<Record<(typeof shells)[number], (commands: Commands) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function bashScript(commands: Commands): string {
  return `# Completion of orgctx for bash. Load it with: source <(orgctx completion bash)
_orgctx() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at/$word" in
      ${pathPattern(commands)}) at="$at/$word" ;;
    esac
  done
  case "$at $previous" in
${indented(flagValues(commands).map(({ flag, values }) => `'${flag}') ${inWords(values)}`))}
    *)
      case "$at" in
${indented(
  commands.map((command) => `'${nameOf(command)}') ${inWords(completions(command).map(({ word }) => word))}`),
  8,
)}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _orgctx orgctx
`;
}

function zshScript(commands: Commands): string {
  return `#compdef orgctx
# Completion of orgctx for zsh. Load it with: source <(orgctx completion zsh), after compinit
_orgctx() {
  local at='' word previous=$words[CURRENT-1]
  local -a choices=()
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      ${pathPattern(commands)}) at="$at/$word" ;;
    esac
  done
  case "$at $previous" in
${indented(flagValues(commands).map(({ flag, values }) => `'${flag}') ${inChoices(values)}`))}
    *)
      case "$at" in
${indented(
  commands.map((command) => `'${nameOf(command)}') ${inChoices(completions(command).map(described))}`),
  8,
)}
      esac
      ;;
  esac
  (( $#choices )) && _describe 'orgctx' choices || _files
}
compdef _orgctx orgctx
`;
}

/** Sets the words that the bash script offers. */
function inWords(words: readonly string[]): string {
  return `words='${words.join(' ')}' ;;`;
}

/** Sets the words that the zsh script offers, quoted if needed. */
function inChoices(words: readonly string[]): string {
  return `choices=(${words.join(' ')}) ;;`;
}

function described({ word, summary }: CompletedWord): string {
  return quoted(`${word}:${summary}`);
}

function fishScript(commands: Commands): string {
  const lines = commands.flatMap((command) => {
    const here = `complete -c orgctx -n '__orgctx_at "${nameOf(command)}"'`;
    return [
      ...command.subcommands.map(({ word, summary }) => `${here} -f -a ${word} -d ${quoted(summary)}`),
      ...command.values.map((value) => `${here} -f -a ${value}`),
      ...command.flags.map(({ word, summary, takesValue, values }) => {
        const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
        return `${here} -l ${word.slice(2)}${value} -d ${quoted(summary)}`;
      }),
    ];
  });
  return `# Completion of orgctx for fish. Load it with: orgctx completion fish | source
function __orgctx_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch "$at/$word"
            case ${commands
              .slice(1)
              .map((command) => `'${nameOf(command)}'`)
              .join(' ')}
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** Names a command in a script: `/repo/add`; the empty text for the program itself. */
function nameOf({ path }: CompletedCommand): string {
  return path.map((word) => `/${word}`).join('');
}

function pathPattern(commands: Commands): string {
  return commands.slice(1).map(nameOf).join('|');
}

function completions({ subcommands, values, flags }: CompletedCommand): readonly CompletedWord[] {
  return [...subcommands, ...values.map((word) => ({ word, summary: '' })), ...flags];
}

/** Returns the values to complete after each flag with a value; none after one whose values are not limited. */
function flagValues(
  commands: Commands,
): readonly { readonly flag: string; readonly values: readonly string[] }[] {
  return commands.flatMap((command) =>
    command.flags
      .filter(({ takesValue }) => takesValue)
      .map(({ word, values }) => ({ flag: `${nameOf(command)} ${word}`, values })),
  );
}

function indented(lines: readonly string[], width = 4): string {
  return lines.map((line) => ' '.repeat(width) + line).join('\n');
}

/** Quotes a text of this program for any of the shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
