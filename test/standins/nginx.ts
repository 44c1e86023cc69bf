import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = '/usr/sbin/nginx';

/** `describe.skipIf(!hasNginx())`: a skipped test is named by `npm test`, and a failure where everything is required. */
export function hasNginx(): boolean {
  return existsSync(program);
}

/** nginx with these `server` blocks; ready once this returns, and gone when it is disposed of. */
export async function startNginx(servers: string): Promise<AsyncDisposable> {
  const folder = temporaryFolder();
  const configuration = join(folder, 'nginx.conf');
  writeFileSync(configuration, complete(servers, folder));
  const child = spawn(program, ['-p', folder, '-c', configuration, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      // Written after the listeners are open.
      if (said.includes('using the "epoll" event method')) resolve();
    });
    void ended.then(() => reject(new Error(`nginx does not start:\n${said}`)));
  });
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** One process, nothing outside its folder. */
function complete(servers: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    'daemon off;',
    'master_process off;',
    `pid ${folder}/nginx.pid;`,
    'error_log stderr notice;',
    'events {}',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
    servers,
    '}',
  ].join('\n');
}
