import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = '/usr/sbin/nginx';

/**
 * For `describe.skipIf(!hasNginx())`: `npm test` names skipped tests, and fails on them where everything is required.
 */
export function hasNginx(): boolean {
  return existsSync(program);
}

/** Starts nginx with these `server` blocks and waits until it is ready; disposing stops it. */
export async function startNginx(servers: string): Promise<AsyncDisposable> {
  const folder = temporaryFolder();
  const configuration = join(folder, 'nginx.conf');
  writeFileSync(configuration, fullConfiguration(servers, folder));
  const child = spawn(program, ['-p', folder, '-c', configuration, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      // nginx logs this after it has opened the listeners.
      if (log.includes('using the "epoll" event method')) resolve();
    });
    void ended.then(() => reject(new Error(`nginx did not start:\n${log}`)));
  });
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Returns the whole configuration: one process, all files inside the folder. */
function fullConfiguration(servers: string, folder: string): string {
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
