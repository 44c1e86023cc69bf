import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import type { CommandContext } from '../frame/context.ts';
import { userConfigFolder } from '../frame/user-config-folder.ts';
import type { RemoteTarget } from '../remote/remote-target.ts';

const fileShape = z.object({ version: z.literal(1), conversations: z.record(z.string(), z.string()) });

type Place = Pick<CommandContext, 'env' | 'homeDir'>;
type Target = Pick<RemoteTarget, 'baseUrl' | 'org' | 'credential'>;

/** Maximum number of remembered conversations; the ones remembered first are forgotten. */
const maxRemembered = 50;

/** Returns the id of the last conversation of this account with a service, organization and sign-in. */
export async function lastConversation(place: Place, target: Target): Promise<string | undefined> {
  return (await readConversations(fileOf(place))).get(keyOf(target));
}

/** Saves the id of the last conversation next to the stored logins. Its questions are only stored by the service. */
export async function rememberConversation(place: Place, target: Target, id: string): Promise<void> {
  const file = fileOf(place);
  const known = await readConversations(file);
  known.delete(keyOf(target));
  const conversations = Object.fromEntries([...known, [keyOf(target), id] as const].slice(-maxRemembered));
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ version: 1, conversations })}\n`, { mode: 0o600 });
  await rename(draft, file);
}

/** Reads the file; one that is missing or damaged counts as empty, because a new conversation replaces what it had. */
async function readConversations(file: string): Promise<Map<string, string>> {
  const text = await readFile(file).catch(() => undefined);
  const read = text === undefined ? undefined : fileShape.safeParse(parseJson(text));
  return new Map(read?.success === true ? Object.entries(read.data.conversations) : []);
}

/** Identifies who asks where. An API key does not say who its user is; another user's conversation is not found. */
function keyOf({ baseUrl, org, credential }: Target): string {
  const who = credential.kind === 'login' ? credential.login.email : 'key';
  return `${baseUrl} ${org} ${who}`;
}

function fileOf(place: Place): string {
  return join(userConfigFolder(place), 'conversations.json');
}
