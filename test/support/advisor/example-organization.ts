import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRepository, type TestRepository } from '../git/git-repository.ts';
import { printRecord, type RecordInput } from '../mirror/records.ts';
import { type OpenedAdvisor, openAdvisor } from './opened-advisor.ts';

const createdAt = '2030-03-03T01:02:03Z';

export const issue = (id: string, identifier: string, fields: object = {}): RecordInput => ({
  type: 'issue',
  id,
  identifier,
  title: `Parcels arrive twice`,
  team: 'ENG',
  state: { name: 'In Progress', type: 'started' },
  createdAt,
  updatedAt: createdAt,
  body: 'A parcel is delivered again after `retryWithBackoff` gave up.',
  ...fields,
});

export const incident = (fields: object = {}): RecordInput => ({
  type: 'incident',
  id: 'Q3KZ7M1',
  title: 'Harbour rejects every parcel',
  status: 'triggered',
  service: { id: 'PFERRY1', name: 'Ferry' },
  assignees: [{ id: 'PADA', name: 'Ada Lovelace' }],
  createdAt,
  body: 'See ENG-12.',
  alerts: [{ id: 'A1', title: 'Error', createdAt, body: 'at deliver (/srv/app/src/deliver.ts:5:3)' }],
  ...fields,
});

/** Prints records as the files of a context repository. */
export function recordFiles(...records: readonly RecordInput[]): Record<string, string> {
  return Object.fromEntries(
    records.map((record) => printRecord(record)).map(({ path, content }) => [path, content]),
  );
}

const ferryFiles = {
  'README.md':
    '# Ferry\n\nFerry carries parcels between harbours. It is small.\n\n## Install\n\nRun the installer.\n',
  'src/retry.ts':
    '/** Tries again with growing pauses. Gives up after five attempts. */\nexport function retryWithBackoff(work: () => void): void {\n  work();\n}\n',
  'src/deliver.ts':
    "import { retryWithBackoff } from './retry.ts';\n\n/** Delivers one parcel to its harbour. */\nexport function deliverParcel(): void {\n  retryWithBackoff(() => undefined);\n  throw new Error('the harbour is closed');\n}\n",
  'src/deliver.test.ts':
    "import { deliverParcel } from './deliver.ts';\n\nexport function checkDelivery(): void {\n  deliverParcel();\n}\n",
  'src/settings.ts':
    "const defaults = { FERRY_PORT: 80 };\n/** Settles the port. */\nexport function ferryPort(): number {\n  return Number(process.env['FERRY_PORT'] ?? defaults.FERRY_PORT);\n}\n",
  'src/main.ts':
    "import { deliverParcel } from './deliver.ts';\n\nexport function startFerry(): void {\n  deliverParcel();\n}\n",
  'src/crew.ts':
    "export const crewVariable = 'FERRY_CREW';\n\nexport function ferryCrew(): number {\n  return Number(process.env[crewVariable]);\n}\n\nconst asleep = 'the crew is asleep';\nexport function crewText(): string {\n  return asleep;\n}\n",
  'src/limits.ts': 'export const draughtLimit = 40;\n',
  'src/draught.ts':
    "import { draughtLimit } from './limits.ts';\n\nexport function checkDraught(ship: number): boolean {\n  return ship < draughtLimit;\n}\n",
  '.github/CODEOWNERS': '* @ada\n/src/retry.ts @acme/harbour\n',
};

/** Commits files at a time, because commits of one second have no order. */
export function commitAt(
  { folder, git }: TestRepository,
  date: string,
  message: string,
  files: Readonly<Record<string, string>>,
  name = 'Ada Lovelace',
): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  git('add', '--all');
  const email = `${name.length}@example.com`;
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
  const committer = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date };
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', ...author, ...committer };
  execFileSync('git', ['commit', '--quiet', '--message', message], { cwd: folder, env });
}

/** An organization with code, its history, a mirrored issue and an incident, all connected. */
export async function openFerry(): Promise<OpenedAdvisor> {
  const advisor = await openAdvisor();
  const code = createRepository();
  commitAt(code, '2025-01-01T00:00:00Z', 'Start', ferryFiles);
  commitAt(code, '2025-02-01T00:00:00Z', 'Give up after five attempts\n\nFixes ENG-12.', {
    'src/retry.ts': `${ferryFiles['src/retry.ts']}// five\n`,
  });
  commitAt(code, '2025-03-01T00:00:00Z', 'Refuse parcels of closed harbours (#7)', {
    'src/deliver.ts': `${ferryFiles['src/deliver.ts']}// strict\n`,
  });
  const context = createRepository(recordFiles(issue('i12', 'ENG-12'), incident()));
  await advisor.projecting.add(code.folder);
  const mirrored = await advisor.projecting.add(context.folder);
  await advisor.projecting.bind(mirrored, 'tracker');
  const rebound = await advisor.projecting.read(mirrored);
  await advisor.projecting.bind(rebound, 'oncall');
  return advisor;
}
