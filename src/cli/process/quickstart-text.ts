import type { QuickstartResult } from '../../app/processes/quickstart.ts';
import { claudeCommand } from '../../features/client-setup/mcp-client-config.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { shortCommit } from '../../foundation/kernel/text/short-commit.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { plainAnswer, shortPlace } from '../ask/citation.ts';
import type { Channel } from '../frame/channel.ts';
import { shellWord } from './shell-word.ts';

interface Shown extends QuickstartResult {
  readonly ownerEmail: string;
  /** The program as it is typed here. */
  readonly program: string;
  readonly staysUp: boolean;
}

/** Formats the result for people: the answer, how to connect, and last what to do in a second terminal. */
export function quickstartText(shown: Shown, question: string | undefined, out: Channel): string {
  const { repository, answer, apiKey, program, ownerEmail } = shown;
  const lines: string[] = [
    ...(answer === undefined ? [] : [...startOf(answer, out), '']),
    `${out.style('bold', visibleLine(repository.name))} is searchable: ${counted(repository.files ?? 0, 'file')} at ${shortCommit(repository.indexedCommit ?? '')}`,
    '',
    `  MCP URL   ${shown.mcpUrl}`,
    `  API key   ${apiKey ?? 'created earlier; create another with --new-key'}`,
    `  Data      ${visibleLine(shown.dataDir)}`,
    '',
    'Connect a client, for example Claude Code:',
    `  ${claudeCommand({ url: shown.mcpUrl, apiKey: apiKey ?? '<API_KEY>' })}`,
    `Other clients: ${program} mcp config --client cursor --auth key --org ${shown.orgSlug} --url ${shown.baseUrl}`,
  ];
  if (!shown.staysUp) return `${lines.join('\n')}\n`;
  const place = program === 'orgctx' ? '' : ' in this folder';
  lines.push(
    '',
    `Open in a browser as ${ownerEmail} (works once, within 30 minutes; the last command below prints another):`,
    `  ${shown.signInUrl}`,
    `Go on in a second terminal${place}, which is signed in:`,
    `  ${program} ask ${shellWord(question ?? 'How are requests routed?')}`,
    `  ${program} repo add https://git.example.com/team/service.git --wait`,
    `  ${program} admin link --email ${ownerEmail}`,
  );
  return `${lines.join('\n')}\n`;
}

/** Limits of the answer, so that all of the result fits a screen of 40 lines. */
const maxLines = 12;
const maxText = 1200;
const maxPlaces = 6;

/** Returns what the answer says and the places that it cites. `ask --full` prints the passages too. */
function startOf({ answer, citations }: NonNullable<QuickstartResult['answer']>, out: Channel): string[] {
  const lines = plainAnswer(answer.slice(0, maxText)).split('\n').slice(0, maxLines);
  const cited = citations.filter(({ n }) => answer.includes(`[${n}]`)).slice(0, maxPlaces);
  const places = cited.map((one) => `${out.style('cyan', `[${one.n}]`)} ${visibleLine(shortPlace(one))}`);
  return [...lines, ...(places.length > 0 ? ['', ...places] : [])];
}
